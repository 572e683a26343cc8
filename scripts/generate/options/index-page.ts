/** Writes the page that leads to the pages of limits. */
import { table } from '../../docs/table.ts';
import { areas } from './areas.ts';

/** Links are as on the pages of areas, one folder deeper. */
const rows = (): string[][] =>
  Object.entries(areas).map(([name, { page, of }]) => [
    `[${name}](limits/${page}.md)`,
    of.replace(/\]\(\.\.\//g, ']('),
  ]);

export const indexPage = (): string => `# Limits and time-outs

Every limit, with its option, its default, and what happens beyond it: one page for each area. A fixed limit has no option, and cannot be changed. Codes are those of [errors](../errors.md).
\`Ki\` and \`Mi\` are 1024 and 1024², characters are UTF-16 code units.
A caller is a principal or, without one, an address: see [fair shares](fair-shares.md#fair-shares).

${table(['area', 'options of'], rows())}

## How they count

- **Values.** Every object, list, text, number, boolean and null is a value; keys are not. A response with too many values fails its call with \`invalid-result\`, whose \`cause\` is \`too-many-values\`.
- **Memory.** \`limits.maxMemoryBytes\` of \`serveHttp\` is shared out: a sixth for requests that arrive and what sessions hold, four sixths for what waits for slow clients, a sixth for stored events. A character is two bytes.
- **Received bytes.** A request of over 16 KiB counts while it arrives, and until it is answered and its calls have ended. A session counts eight times the characters of \`clientInfo\` and \`capabilities\`, and each subscription its URI and 200. Unused sessions make room.
- **Stored events.** Each counts 64 characters more than its own.
- **Patterns.** A pattern counts as one subschema for each character of the text, more if the pattern is large, as counted repetitions make it. At most 8 issues of a value are reported.
`;
