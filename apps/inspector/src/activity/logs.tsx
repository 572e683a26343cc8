/** The log of all servers: their log messages from a level on, what their processes write to stderr, and warnings of the client. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LoggingLevel } from '../../../../src/protocol/generated/types/records.ts';
import { call } from '../api/call.ts';
import { IconButton } from '../controls/button.tsx';
import { shownTime, shownValue } from '../controls/format.ts';
import type { LogLine } from '../state/known.ts';
import { client, clients, known, putClient } from '../state/store.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** The level that is shown. Servers are asked for it too. */
const level = signal<LoggingLevel>('debug');

const sources: readonly (readonly [LogLine['source'] | 'all', string])[] = [
  ['all', 'All lines'],
  ['server', 'Messages'],
  ['process', 'stderr'],
  ['client', 'Warnings'],
];
const source = signal<LogLine['source'] | 'all'>('all');
const search = signal('');
/** The last line that was cleared away. */
const cleared = signal(0);

const linesAtMost = 300;
const maxLineChars = 4000;

const textOf = ({ data }: LogLine): string => shownValue(data, maxLineChars);

function isShown(line: LogLine): boolean {
  // Lines of a process have no level.
  const isAbove =
    line.source === 'process' || levels.indexOf(line.level as LoggingLevel) >= levels.indexOf(level.value);
  const isSource = source.value === 'all' || line.source === source.value;
  const sought = search.value.toLowerCase();
  return isAbove && isSource && `${line.logger ?? ''} ${textOf(line)}`.toLowerCase().includes(sought);
}

function change(next: LoggingLevel): void {
  level.value = next;
  const shown = client.value;
  if (shown?.state !== 'ready' || shown.capabilities?.logging === undefined) return;
  void call('logLevel', { client: shown.id, level: next }).then(
    (answer) => putClient(answer.client),
    () => undefined,
  );
}

export function Logs() {
  const box = useRef<HTMLOListElement>(null);
  const all = known.value.logs.filter(({ seq }) => seq > cleared.value);
  const lines = all.filter(isShown).slice(-linesAtMost);
  const last = lines.at(-1)?.seq;
  // The newest line is followed until the person scrolls away from it.
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last]);
  return (
    <section class="aside-part logs" aria-label="Log">
      <h2 aria-label="Log">
        Log <span class="spring" />
        <select
          aria-label="Which lines of the log"
          value={source}
          onChange={(event) => (source.value = event.currentTarget.value as typeof source.value)}
        >
          {sources.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
        <select
          aria-label="Lowest level of the log"
          value={level}
          onChange={(event) => change(event.currentTarget.value as LoggingLevel)}
        >
          {levels.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <IconButton
          icon="trash"
          label="Clear the log"
          onClick={() => (cleared.value = known.peek().logs.at(-1)?.seq ?? 0)}
          isDisabled={all.length === 0}
        />
      </h2>
      {all.length > 0 && (
        <input
          type="search"
          placeholder="Search the log"
          aria-label="Search the log"
          value={search}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
      )}
      {lines.length === 0 && (
        <p class="faint">
          {all.length === 0 ? 'Log messages of servers and lines of stderr appear here.' : 'No line matches.'}
        </p>
      )}
      <ol
        ref={box}
        tabIndex={lines.length === 0 ? -1 : 0}
        aria-label="Lines of the log"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
        }}
      >
        {lines.map((line) => (
          <LogRow key={line.seq} line={line} />
        ))}
      </ol>
    </section>
  );
}

function LogRow({ line }: { readonly line: LogLine }) {
  const { at, level, logger, client: id } = line;
  const label = clients.value.length > 1 ? clients.value.find((each) => each.id === id)?.label : undefined;
  return (
    <li class={`log-row level-${level}`}>
      <time class="faint">{shownTime(at)}</time> <span class="log-level">{level}</span>{' '}
      {[label, logger].filter(Boolean).map((text) => (
        <span key={text} class="faint">
          {text}{' '}
        </span>
      ))}
      <span class="log-text">{textOf(line)}</span>
    </li>
  );
}
