/** The limit of Node itself: splits chunks into lines, parses and answers each line, with one write per chunk. With `trusting` it validates nothing. */
import { createCaller, createTrustingCaller, tools } from '../../lib/tools.mjs';

const newline = 10;
const textOf = process.argv[2] === 'trusting' ? createTrustingCaller(tools) : createCaller(tools);

export const callTool = ({ name, arguments: given }) => textOf(name, given);

/** Calls `take` with every line, and `done` at the end of each chunk. */
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

/** `answer` takes a message and returns its answer, or undefined. */
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
