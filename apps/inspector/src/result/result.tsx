/** The result of a run: its parts by kind, as JSON, or compared with an earlier one. */
import { signal } from '@preact/signals';
import type { RunInfo, RunResult } from '../../../../src/inspector/api.ts';
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
} from '../../../../src/protocol/generated/types/records.ts';
import { Segments } from '../controls/button.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { resultOf, runsLike } from '../state/runs.ts';
import { ContentView, ResourceView } from './content.tsx';
import { diffLines } from './diff.ts';
import { JsonTree } from './json-tree.tsx';
import { Table } from './table.tsx';
import { tableIn } from './tables.ts';

type Result = NonNullable<RunResult['result']>;
type View = 'parts' | 'json' | 'diff';

/** The same for all results. */
const view = signal<View>('parts');

/** Comparing needs an earlier run. */
const shownView = (run: RunInfo): View =>
  view.value === 'diff' && earlierRun(run) === undefined ? 'parts' : view.value;

export function ResultViewSwitch({ run }: { readonly run: RunInfo }) {
  const options: readonly (readonly [View, string])[] = [
    ['parts', 'Result'],
    ['json', 'JSON'],
    ...(earlierRun(run) === undefined ? [] : [['diff', 'Compare'] as const]),
  ];
  return (
    <Segments
      label="How to show the result"
      value={shownView(run)}
      options={options}
      onChange={(next) => (view.value = next)}
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
  const before = earlierRun(run);
  const shown = shownView(run);
  return (
    <div class="result">
      {shown === 'parts' && <Parts result={result} isError={run.isError === true} />}
      {shown === 'json' && <JsonTree value={result} openTo={4} />}
      {shown === 'diff' && before !== undefined && <Comparison result={result} before={before} />}
    </div>
  );
}

const earlierRun = (run: RunInfo): RunInfo | undefined => {
  const all = runsLike(run).filter(({ status }) => status === 'done');
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

function Comparison({ result, before }: { readonly result: Result; readonly before: RunInfo }) {
  const fetched = resultOf(before);
  if (fetched?.result === undefined)
    return <p class="faint">{fetched === undefined ? 'Loading…' : 'It was dropped.'}</p>;
  const lines = (value: unknown): readonly string[] => JSON.stringify(value, null, 2).split('\n');
  const found = diffLines(lines(fetched.result), lines(result));
  if (found.every(({ side }) => side === 'both')) return <p class="soft">The same result as the run before.</p>;
  const signs = { both: ' ', before: '−', after: '+' } as const;
  return (
    <pre class="mono diff" aria-label="Compared with the run before">
      {found.map(({ side, text }, at) => (
        <span key={at} class={`diff-${side}`}>
          {`${signs[side]} ${text}\n`}
        </span>
      ))}
    </pre>
  );
}
