/** Appends events to an audit log, so many at once. */
import { join } from 'node:path';
import { auditFolder, createAuditKey } from '../../../dist/guard.js';
import { callStart } from '../events.mjs';

export async function prepare({ folder, durability, together }) {
  const { privateKey } = await createAuditKey();
  const audit = auditFolder(join(folder, `tenon-${process.pid}`), { key: privateKey, durability });
  await audit.open();
  let n = 0;
  return {
    unit: together,
    async batch(times) {
      for (let time = 0; time < times; time++) {
        if (together === 1) await audit.append(callStart(n++));
        else await Promise.all(Array.from({ length: together }, () => audit.append(callStart(n++))));
      }
    },
  };
}
