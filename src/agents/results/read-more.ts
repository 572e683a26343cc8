/** Answers a call of `read_more`. Loaded when a model reads more: most results are short. */
import { readableError } from '../error-text.ts';
import { checkReadMore } from './read-more-arguments.ts';
import { answerFor, failed, type ReadMoreAnswer } from './read-more-text.ts';
import { bytesOf, describeBytes, type ResourceLinkContent, type StoredContent } from './stored-content.ts';

export interface ReadMorePorts {
  /** Characters of an answer. */
  readonly maxChars: number;
  /** Reads a linked resource, with all checks of the host. */
  readonly readResource?: ((link: ResourceLinkContent) => Promise<string>) | undefined;
  /** What is behind a handle. */
  content(handle: string): Promise<StoredContent | undefined>;
  /** Stores what was read of a link. Never throws. */
  put(handle: string, content: StoredContent): Promise<unknown>;
  onError(error: unknown): void;
}

/** Every failure is an answer that a model can act on. */
export async function readMore(args: unknown, ports: ReadMorePorts): Promise<ReadMoreAnswer> {
  const checked = checkReadMore(args);
  if ('problem' in checked) return failed(checked.problem);
  const { handle } = checked;
  try {
    const found = await ports.content(handle);
    if (found === undefined) return failed(`${handle} is not stored any more. Call the tool again.`);
    const text = await textOf(handle, found, ports);
    return typeof text === 'string' ? answerFor(text, checked, ports.maxChars) : text;
  } catch (error) {
    ports.onError(error);
    return failed(`${handle} could not be read: ${readableError(error)}`);
  }
}

/** A linked resource is read once: the parts that the model reads belong together. */
async function textOf(
  handle: string,
  found: StoredContent,
  { readResource, put }: ReadMorePorts,
): Promise<string | ReadMoreAnswer> {
  if (found.type === 'text') return found.text;
  if (found.type === 'data')
    return failed(`${handle} is ${describeBytes(found.mimeType, bytesOf(found.data))}. It has no text.`);
  if (readResource === undefined) return failed(`The resource ${found.uri} cannot be read here.`);
  const text = await readResource(found);
  await put(handle, { type: 'text', text });
  return text;
}
