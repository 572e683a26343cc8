/** Processor time of another process, all its threads together. */
import { readdirSync, readFileSync } from 'node:fs';

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A thread may exit between listing and reading.
    return '';
  }
};

/** In milliseconds, from nanoseconds where the kernel has them, else from ticks of 10 ms. */
export const processorMs = (pid) => byThreads(pid) || byTicks(pid);

function byThreads(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, id) => sum + Number(read(`/proc/${pid}/task/${id}/schedstat`).split(' ')[0]), 0) / 1e6;
}

/** The program name, in brackets, may contain blanks. */
function byTicks(pid) {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
