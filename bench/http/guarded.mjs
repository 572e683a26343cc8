/** What each layer of a guard costs a call over HTTP, beside a server without one and a bare server that writes the same bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../dist/auth.js';
import { canPin, onDriverCore } from '../lib/pinning.mjs';
import { controlOf, sharesOf } from '../lib/shares.mjs';
import { compare, report } from './http.mjs';
import { resource, startIssuer } from './issuer.mjs';
import { loads } from './loads.mjs';

const beside = 'tenon, no authentication';

/** About what the start and the end of a call take in the log: two records and two private values. */
const auditedBytes = 1400;

export const measure = (print, { short }) =>
  onDriverCore(async () => {
    print(canPin ? 'Servers run on core 0, the driver on core 1.' : 'No process is pinned to a core.');
    const folder = mkdtempSync(join(tmpdir(), 'bench-guarded-'));
    const issuer = await startIssuer();
    try {
      const load = { ...loads[0], title: 'tools/call, guarded' };
      const present = await subjects(folder, issuer, load);
      const rows = await compare(present, beside, { short });
      return {
        loads: [report(print, load, rows, beside, { short })],
        shares: sharesOf(rows, present, beside),
      };
    } finally {
      issuer.close();
      rmSync(folder, { recursive: true });
    }
  });

/** `row` is the name of a layer for programs. */
async function subjects(folder, issuer, load) {
  const { id, key, hash } = await generateApiKey();
  const keys = [{ id, hash, subject: 'ada' }];
  const withBearer = (token) => ({ ...load, headers: () => ({ authorization: `Bearer ${token}` }) });
  const guarded = (row, name, settings) => ({
    row,
    name,
    file: 'tenon-guarded',
    load: withBearer(key),
    settings: { keys, ...settings },
  });
  const all = { policy: 100, limits: true, trace: true };
  return [
    { name: beside, file: 'tenon', load },
    { name: controlOf(beside), file: 'tenon', load },
    {
      row: 'access token',
      name: 'tenon, access token',
      file: 'tenon-protected',
      load: withBearer(await issuer.sign({})),
      settings: { issuer: issuer.url, resource },
    },
    guarded('API key', 'tenon, API key', {}),
    guarded('policy of 100 rules', '… and a policy of 100 rules', { policy: 100 }),
    guarded('limits', '… and limits', { policy: 100, limits: true }),
    guarded('traces', '… and traces', all),
    guarded('audit log', 'everything on: … and an audit log', { ...all, audit: join(folder, 'audit') }),
    guarded('policy of 1,000 rules', 'tenon, API key and a policy of 1,000 rules', { policy: 1000 }),
    { name: 'bare', file: 'bare', load },
    {
      name: 'bare, writes the same bytes',
      file: 'bare',
      load,
      settings: { file: join(folder, 'bytes'), bytes: auditedBytes },
    },
  ];
}
