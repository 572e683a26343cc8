/** One subject: the limits of a call in memory, for 1,000 callers. */
import { createMemoryStore } from '../../dist/store.js';

const bucket = { tokens: 1e9, perMs: 1000, burst: 1e9 };
const callers = Array.from({ length: 1000 }, (_, n) => `principal ["https://id.example","user ${n}"]`);

export function prepare({ slots }) {
  const store = createMemoryStore().limits;
  const take = (caller, at) => {
    const tokens = [{ key: `perPrincipal/${caller}`, cost: 1, bucket }];
    if (!slots) return store.take(tokens).allowed;
    tokens.push({ key: `perAddress/203.0.113.${at % 250}`, cost: 1, bucket });
    const lease = { id: `node/${at}`, slots: [{ key: `perPrincipal/${caller}`, max: 16 }] };
    const { allowed } = store.take(tokens, lease, 30_000);
    store.release(lease);
    return allowed;
  };
  const batch = (n) => {
    for (let at = 0; at < n; at += 1) if (!callers.every(take)) throw new Error('a call was refused');
  };
  return { unit: 1000, batch };
}
