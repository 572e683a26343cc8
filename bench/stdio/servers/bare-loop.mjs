/** The limit of Node itself: chunks split into lines, each parsed, answered and written, one write a chunk. */
import { createCaller, tools } from '../../lib/tools.mjs';

const newline = 10;
const textOf = createCaller(tools);

export const callTool = ({ name, arguments: given }) => textOf(name, given);

/** Gives every line to `take`, and tells by `done` that a chunk is through. */
export function readLines(take, done = () => {}) {
  let held = [];
  process.stdin.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      let line = chunk.subarray(start, end);
      start = end + 1;
      if (held.length > 0) {
        line = Buffer.concat([...held, line]);
        held = [];
      }
      take(line);
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
    done();
  });
}

/** `answer` takes a message and gives its answer, or undefined. */
export function serve(answer) {
  let out = '';
  const take = (line) => {
    const response = answer(JSON.parse(line.toString('utf8')));
    if (response !== undefined) out += `${JSON.stringify(response)}\n`;
  };
  readLines(take, () => {
    if (out !== '') process.stdout.write(out);
    out = '';
  });
}
