/** The log of all servers: messages from a level on, and warnings of the client. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LoggingLevel } from '../../../../src/protocol/generated/types/records.ts';
import { call } from '../api/call.ts';
import { shownTime, shownValue } from '../controls/format.ts';
import type { LogLine } from '../state/known.ts';
import { client, clients, known, putClient } from '../state/store.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** The level that is shown. Servers are asked for it too. */
const level = signal<LoggingLevel>('debug');
const linesAtMost = 300;

export function Logs() {
  const box = useRef<HTMLOListElement>(null);
  const from = levels.indexOf(level.value);
  const lines = known.value.logs
    .filter((line) => levels.indexOf(line.level as LoggingLevel) >= from)
    .slice(-linesAtMost);
  const last = lines.at(-1)?.seq;
  useEffect(() => box.current?.scrollTo({ top: box.current.scrollHeight }), [last]);
  const change = (next: LoggingLevel): void => {
    level.value = next;
    const shown = client.value;
    if (shown?.state !== 'ready' || shown.capabilities?.logging === undefined) return;
    void call('logLevel', { client: shown.id, level: next }).then(
      (answer) => putClient(answer.client),
      () => undefined,
    );
  };
  return (
    <section class="aside-part logs" aria-label="Log">
      <h2>
        Log
        <select
          aria-label="Lowest level of the log"
          value={level}
          onChange={(event) => change(event.currentTarget.value as LoggingLevel)}
        >
          {levels.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </h2>
      {lines.length === 0 && <p class="faint">Log messages of the servers appear here.</p>}
      <ol ref={box} tabIndex={lines.length === 0 ? -1 : 0} aria-label="Log messages">
        {lines.map((line) => (
          <LogRow key={line.seq} line={line} />
        ))}
      </ol>
    </section>
  );
}

function LogRow({ line: { at, level, logger, data, client: id } }: { readonly line: LogLine }) {
  const label = clients.value.length > 1 ? clients.value.find((each) => each.id === id)?.label : undefined;
  return (
    <li class={`log-row level-${level}`}>
      <time class="faint">{shownTime(at)}</time> <span class="log-level">{level}</span>{' '}
      {[label, logger].filter(Boolean).map((text) => (
        <span key={text} class="faint">
          {text}{' '}
        </span>
      ))}
      <span class="log-text">{shownValue(data, 1000)}</span>
    </li>
  );
}
