/** What each layer of a guard costs a call over HTTP, beside a server without one and a bare server that writes the same bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../dist/auth.js';
import { canPin, onDriverCore } from '../lib/pinning.mjs';
import { compare, report } from './http.mjs';
import { loads } from './loads.mjs';

const beside = 'tenon, no authentication';

/** About what the start and the end of a call take in the log: two records and two private values. */
const auditedBytes = 1400;

export const measure = (print) =>
  onDriverCore(async () => {
    print(canPin ? 'Servers run on core 0, the driver on core 1.' : 'No process is pinned to a core.');
    const folder = mkdtempSync(join(tmpdir(), 'bench-guarded-'));
    try {
      const load = { ...loads[0], title: 'tools/call, guarded' };
      const rows = await compare(await subjects(folder, load), beside);
      return { loads: [report(print, load, rows, beside)] };
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

async function subjects(folder, load) {
  const { id, key, hash } = await generateApiKey();
  const keys = [{ id, hash, subject: 'ada' }];
  const withKey = { ...load, headers: () => ({ authorization: `Bearer ${key}` }) };
  const guarded = (name, settings) => ({ name, file: 'tenon-guarded', load: withKey, settings: { keys, ...settings } });
  const all = { policy: true, limits: true, trace: true };
  return [
    { name: beside, file: 'tenon', load },
    { name: `${beside}, again (control)`, file: 'tenon', load },
    guarded('tenon, API key', {}),
    guarded('… and a policy of 100 rules', { policy: true }),
    guarded('… and limits', { policy: true, limits: true }),
    guarded('… and traces', all),
    guarded('everything on: … and an audit log', { ...all, audit: join(folder, 'audit') }),
    { name: 'bare', file: 'bare', load },
    {
      name: 'bare, writes the same bytes',
      file: 'bare',
      load,
      settings: { file: join(folder, 'bytes'), bytes: auditedBytes },
    },
  ];
}
