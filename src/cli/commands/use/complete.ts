/** `tenon complete`: completes an argument of a prompt, or a variable of a resource template. */
import { callArguments } from '../../input/call-arguments.ts';
import type { RunCommand } from '../../io/command.ts';
import { withClient } from '../../target/open-client.ts';
import { usageError } from '../../usage-error.ts';

export const run: RunCommand = (given) =>
  withClient(given, async (client) => {
    const [name = '', ...words] = given.words;
    const typed = Object.entries(callArguments({ words }, {})) as [string, string][];
    const last = typed.at(-1);
    if (last === undefined) throw usageError('No argument to complete.', 'Write name=what-is-typed-so-far.');
    const [argument, value] = last;
    const ref =
      name.includes('{') || name.includes('://')
        ? ({ type: 'ref/resource', uri: name } as const)
        : ({ type: 'ref/prompt', name } as const);
    const known = Object.fromEntries(typed.slice(0, -1));
    const result = await client.complete(ref, { name: argument, value }, known, { signal: given.io.signal });
    return { result, text: result.values.join('\n') };
  });
