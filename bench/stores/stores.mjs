/** What the stores cost: their operations, calls on one node and on three, and the memory of sessions. */
import { measureCalls } from './calls.mjs';
import { measureMemory } from './memory.mjs';
import { measureOperations } from './operations.mjs';

/** A part of everything takes less time while others use the machine: `BENCH_SHARE=0.1`. */
const share = Number(process.env.BENCH_SHARE ?? 1);
const part = (count) => Math.max(1000, Math.round(count * share));

const parts = (process.env.BENCH_PARTS ?? 'operations,calls,memory').split(',');

export async function measure(print) {
  const result = {};
  if (parts.includes('operations')) {
    const one = await measureOperations(print, { count: part(20_000), together: 1 });
    const many = await measureOperations(print, { count: part(20_000), together: 64 });
    result.operations = { one, many };
  }
  if (parts.includes('calls')) result.calls = await measureCalls(print, { count: part(20_000), sessions: 200 });
  if (parts.includes('memory'))
    result.memory = await measureMemory(print, { sessions: part(10_000), records: part(50_000) });
  return result;
}
