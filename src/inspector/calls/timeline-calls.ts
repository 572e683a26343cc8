/** Calls about recordings: rows, texts, state at a moment, captures, numbers, and sending a message again. */

import { flag } from '../../lib/options/option-rules.ts';
import { partsOf } from '../../protocol/history/message-parts.ts';
import { InspectorError } from '../api-error.ts';
import { parsed } from '../recordings/row-reader.ts';
import type { CallTable } from './call.ts';
import { limit, maxRows, position, positions, text, texts } from './field-rules.ts';

/**
 * Bytes of a capture that is opened.
 * @limit inspector
 * @beyond 413
 * @code body-too-large
 */
const maxCaptureBytes = 128 * 1024 * 1024;

export const timelineCalls: CallTable<
  'rows' | 'texts' | 'search' | 'state' | 'resend' | 'openCapture' | 'closeCapture' | 'saveCapture' | 'numbers'
> = {
  rows: {
    required: { recording: text, after: position },
    optional: { limit },
    run({ recording, after, limit: most = maxRows }, { recordings }) {
      const found = recordings.get(recording);
      return { recording: found.info, rows: found.rowsAfter(after, most) };
    },
  },
  texts: {
    required: { recording: text, seqs: positions },
    run: ({ recording, seqs }, { recordings }) => ({ texts: recordings.get(recording).texts(seqs) }),
  },
  search: {
    required: { recording: text, text },
    run: ({ recording, text: sought }, { recordings }) => recordings.get(recording).search(sought),
  },
  state: {
    required: { recording: text, seq: position },
    run: ({ recording, seq }, { recordings }) => recordings.get(recording).stateAt(seq),
  },
  resend: {
    required: { client: text, text },
    run({ client, text: message }, { clients, runs }) {
      const [part] = partsOf(parsed(message));
      if (part?.type !== 'request')
        throw new InspectorError(
          'invalid-request',
          'The message is not one JSON-RPC request.',
          'Write { "jsonrpc": "2.0", "id": 1, "method": "tools/list" }.',
        );
      const { resolved, options } = clients.get(client);
      const opened = clients.open(resolved, options);
      const { method, params } = part;
      return { client: opened.info, run: runs.start(opened, { kind: 'request', method, params }) };
    },
  },
  openCapture: {
    required: { name: text, text },
    maxBytes: maxCaptureBytes,
    run({ name, text: lines }, { recordings, log }) {
      const recording = recordings.open(name, lines);
      log.publish({ type: 'recording', recording });
      return { recording };
    },
  },
  closeCapture: {
    required: { recording: text },
    run({ recording }, { recordings, log }) {
      recordings.close(recording);
      log.publish({ type: 'recording-removed', recording });
      return {};
    },
  },
  saveCapture: {
    required: { recording: text },
    optional: { clients: texts, keepAnswers: flag },
    async run({ recording, clients, keepAnswers = false }, { recordings }) {
      const { info } = recordings.get(recording);
      const made = new Date(info.began).toISOString().slice(0, 19).replaceAll(':', '-');
      const name = recording === 'live' ? `inspector-${made}.mcp.ndjson` : info.name;
      return { name, text: await recordings.save(recording, clients, { keepAnswers }) };
    },
  },
  numbers: {
    required: { after: position },
    optional: { client: text },
    run: ({ after, client }, { numbers }) => ({ buckets: numbers.after(after, client) }),
  },
};
