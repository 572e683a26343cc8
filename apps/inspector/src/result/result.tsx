/** The result of a run: its parts by kind, as JSON, or compared with an earlier one. */
import { signal } from '@preact/signals';
import type { RunInfo, RunResult } from '../../../../src/inspector/api.ts';
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
} from '../../../../src/protocol/generated/types/records.ts';
import { Segments } from '../controls/button.tsx';
import { shownTime, shownValue } from '../controls/format.ts';
import { ErrorNotice } from '../controls/notice.tsx';
import { itemKey, resultOf, runsLike } from '../state/runs.ts';
import { compareRuns } from '../state/timeline.ts';
import { ContentView, ResourceView } from './content.tsx';
import { DiffView, isSameJson } from './diff-view.tsx';
import { JsonTree } from './json-tree.tsx';
import { Table } from './table.tsx';
import { tableIn } from './tables.ts';

type Result = NonNullable<RunResult['result']>;
type View = 'parts' | 'json' | 'diff';

/** The same for all results. */
const view = signal<Exclude<View, 'diff'>>('parts');

/** The item whose results are compared: the others are shown as they are. */
const comparedItem = signal<string | undefined>(undefined);

/** Comparing needs another run. */
const shownView = (run: RunInfo): View =>
  comparedItem.value === itemKey(run.request) && otherRuns(run).length > 0 ? 'diff' : view.value;

function showAs(run: RunInfo, next: View): void {
  comparedItem.value = next === 'diff' ? itemKey(run.request) : undefined;
  if (next !== 'diff') view.value = next;
}

export function ResultViewSwitch({ run }: { readonly run: RunInfo }) {
  const options: readonly (readonly [View, string])[] = [
    ['parts', 'Result'],
    ['json', 'JSON'],
    ...(otherRuns(run).length === 0 ? [] : [['diff', 'Compare'] as const]),
  ];
  return (
    <Segments
      label="How to show the result"
      value={shownView(run)}
      options={options}
      onChange={(next) => showAs(run, next)}
    />
  );
}

export function ResultView({ run }: { readonly run: RunInfo }) {
  const fetched = resultOf(run);
  if (fetched === undefined) return <p class="faint">Loading the result…</p>;
  if (fetched.error !== undefined) return <ErrorNotice error={fetched.error} />;
  if (run.isForgotten || fetched.result === undefined)
    return <p class="soft">This result was dropped to make room. Run it again, or look for it in the timeline.</p>;
  const { result } = fetched;
  const shown = shownView(run);
  return (
    <div class="result">
      {shown === 'parts' && <Parts result={result} isError={run.isError === true} />}
      {shown === 'json' && <JsonTree value={result} openTo={4} />}
      {shown === 'diff' && <Comparison run={run} result={result} />}
    </div>
  );
}

/** What is copied of a result: its texts as they are if it has nothing else, and JSON if it has. */
export function copiedResult(run: RunInfo): (() => string) | undefined {
  const result = resultOf(run)?.result;
  if (result === undefined) return undefined;
  const { content, contents, structuredContent } = result as Partial<CallToolResult & ReadResourceResult>;
  const parts: readonly object[] = content ?? contents ?? [];
  const texts = parts.flatMap((part) => ('text' in part ? [String(part.text)] : []));
  const isText = view.value !== 'json' && structuredContent === undefined && texts.length === parts.length;
  return () => (isText && texts.length > 0 ? texts.join('\n') : JSON.stringify(result, null, 2));
}

const doneRuns = (run: RunInfo): readonly RunInfo[] => runsLike(run).filter(({ status }) => status === 'done');

const otherRuns = (run: RunInfo): readonly RunInfo[] => doneRuns(run).filter(({ id }) => id !== run.id);

const earlierRun = (run: RunInfo): RunInfo | undefined => {
  const all = doneRuns(run);
  return all[all.findIndex(({ id }) => id === run.id) + 1];
};

function Parts({ result, isError }: { readonly result: Result; readonly isError: boolean }) {
  if ('messages' in result && Array.isArray(result.messages)) return <Messages result={result as GetPromptResult} />;
  if ('contents' in result && Array.isArray(result.contents))
    return (
      <div class="parts">
        {(result as ReadResourceResult).contents.map((contents, at) => (
          <ResourceView key={at} contents={contents} />
        ))}
      </div>
    );
  if (!('content' in result) || !Array.isArray(result.content)) return <JsonTree value={result} />;
  const { content, structuredContent } = result as CallToolResult;
  const blocks =
    structuredContent === undefined ? content : content.filter((block) => !isCopy(block, structuredContent));
  return (
    <div class={`parts ${isError ? 'is-error' : ''}`}>
      {structuredContent !== undefined && <Structured value={structuredContent} />}
      {blocks.map((block, at) => (
        <ContentView key={at} block={block} />
      ))}
      {content.length === 0 && structuredContent === undefined && <p class="soft">The result is empty.</p>}
    </div>
  );
}

/** Servers repeat structured content as text for older clients. */
function isCopy(block: CallToolResult['content'][number], structured: unknown): boolean {
  if (block.type !== 'text') return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function Structured({ value }: { readonly value: unknown }) {
  const table = tableIn(value);
  if (table === undefined) return <JsonTree value={value} />;
  const others = table.name === undefined ? {} : withoutName(value as object, table.name);
  return (
    <>
      <Table table={table} />
      {Object.keys(others).length > 0 && <JsonTree value={others} />}
    </>
  );
}

const withoutName = (value: object, name: string): object =>
  Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));

const Messages = ({ result }: { readonly result: GetPromptResult }) => (
  <div class="parts">
    {result.messages.map(({ role, content }, at) => (
      <div key={at} class={`message ${role}`}>
        <p class="message-role">{role}</p>
        <ContentView block={content} />
      </div>
    ))}
  </div>
);

/** The run that is compared with, by the run that is shown; by default the one before. */
const comparedWith = signal<Readonly<Record<string, string>>>({});

function Comparison({ run, result }: { readonly run: RunInfo; readonly result: Result }) {
  const others = otherRuns(run);
  const before = others.find(({ id }) => id === comparedWith.value[run.id]) ?? earlierRun(run) ?? others[0];
  if (before === undefined) return null;
  const fetched = resultOf(before);
  return (
    <>
      <div class="compare-choice">
        <label for="compared-with">With</label>
        <select
          id="compared-with"
          value={before.id}
          onChange={(event) => (comparedWith.value = { ...comparedWith.peek(), [run.id]: event.currentTarget.value })}
        >
          {others.map(({ id, startedAt, protocolVersion = '', request }) => (
            <option key={id} value={id}>
              {`${shownTime(startedAt)} ${protocolVersion} ${'arguments' in request ? shownValue(request.arguments, 40) : ''}`}
            </option>
          ))}
        </select>
        <button type="button" class="text-button" onClick={() => compareRuns(before, run)}>
          All messages of both
        </button>
      </div>
      {fetched?.result === undefined ? (
        <p class="faint">{fetched === undefined ? 'Loading…' : 'This result was dropped to make room.'}</p>
      ) : isSameJson(fetched.result, result) ? (
        <p class="soft">Both results are the same.</p>
      ) : (
        <DiffView before={fetched.result} after={result} label="Compared with the other run" />
      )}
    </>
  );
}
