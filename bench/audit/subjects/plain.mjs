/** Appends texts as long as the lines of an audit log to two files, so many at once: no hashes, no queue. */
import { fdatasync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callStart } from '../events.mjs';

const sync = promisify(fdatasync);
/** What a record has beside its event: number, time, hashes, commitment. */
const chainText = 'x'.repeat(280);
const privateText = 'x'.repeat(90);

export function prepare({ folder, durability, together }) {
  const open = (name) => openSync(join(folder, `plain-${name}-${process.pid}`), 'a');
  const records = open('records');
  const values = open('values');
  let n = 0;
  return {
    unit: together,
    async batch(times) {
      for (let time = 0; time < times; time++) {
        let text = '';
        let valueText = '';
        for (let at = 0; at < together; at++) {
          const { private: value, ...event } = callStart(n++);
          text += `${JSON.stringify(event)}${chainText}\n`;
          valueText += `${JSON.stringify(value)}${privateText}\n`;
        }
        writeSync(values, valueText, null, 'latin1');
        writeSync(records, text, null, 'latin1');
        if (durability === 'sync') await Promise.all([sync(values), sync(records)]);
        // An answer is sent in a later turn, as with the log.
        else await new Promise(setImmediate);
      }
    },
  };
}
