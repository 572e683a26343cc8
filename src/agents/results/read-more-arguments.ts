/** Checks the arguments of `read_more`, which a model has written. */
import { isRecord } from '../../lib/values/is.ts';

/** Reads from a place, or finds a text from a place on. */
export interface ReadMoreArguments {
  readonly handle: string;
  readonly from: number;
  readonly find: string | undefined;
}

/** Characters of a text to find. */
const maxFind = 1000;
const example = 'Write read_more({ handle: "r…", from: 15000 }) or read_more({ handle: "r…", find: "text" }).';

export function checkReadMore(args: unknown): ReadMoreArguments | { readonly problem: string } {
  if (!isRecord(args) || typeof args.handle !== 'string')
    return { problem: `The argument handle is missing. ${example}` };
  const { handle, find } = args;
  const from = typeof args.from === 'string' ? Number(args.from) : (args.from ?? 0);
  if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0)
    return { problem: `The argument from must be a whole number of characters, 0 or more. ${example}` };
  if (find === undefined || find === null || find === '') return { handle: handle.trim(), from, find: undefined };
  if (typeof find !== 'string' || find.length > maxFind)
    return { problem: `The argument find must be a text of 1 to ${maxFind} characters. ${example}` };
  return { handle: handle.trim(), from, find };
}
