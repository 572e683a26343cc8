/** What a tool costs a model, and what models will trip over: the findings of `tenon check`, beside the tool. */
import { useEffect, useState } from 'preact/hooks';
import type { ClientInfo, ToolFinding, ToolQualityReport } from '../../../../src/inspector/api.ts';
import type { Tool } from '../../../../src/protocol/generated/types/records.ts';
import { call } from '../api/call.ts';

interface ModelNotesProps {
  readonly client: ClientInfo;
  readonly tool: string;
  /** The list that it is in: a changed list is another one. */
  readonly items: readonly Tool[];
}

export function ModelNotes({ client, tool, items }: ModelNotesProps) {
  const report = useReport(client, items);
  const cost = report?.tools.find(({ name }) => name === tool);
  // An empty line, so that the form does not move.
  if (report === undefined || cost === undefined) return <p class="model-notes">{'\u00a0'}</p>;
  const findings = report.findings.filter((one) => one.tool === tool);
  const tokens = `About ${cost.tokens.toLocaleString('en-US')} tokens for a model, ${report.tokens.toLocaleString('en-US')} for all tools`;
  if (findings.length === 0) return <p class="model-notes">{tokens}</p>;
  return (
    <details class="model-notes" open={findings[0]?.level === 'error'}>
      <summary>
        {tokens}; {counted(findings)}
      </summary>
      <ul>
        {findings.map(({ rule, level, text, fix }) => (
          <li key={`${rule} ${text}`}>
            <span class={`chip ${colors[level]}`} title={rule}>
              {level}
            </span>{' '}
            {text} {fix}
          </li>
        ))}
      </ul>
    </details>
  );
}

const colors: Readonly<Record<ToolFinding['level'], string>> = { error: 'bad', warning: 'warn', note: '' };

const counted = (findings: readonly ToolFinding[]): string =>
  (['error', 'warning', 'note'] as const)
    .map((level) => [level, findings.filter((one) => one.level === level).length] as const)
    .filter(([, count]) => count > 0)
    .map(([level, count]) => `${count} ${level}${count === 1 ? '' : 's'}`)
    .join(', ');

/** One for each list. */
const reports = new WeakMap<readonly Tool[], Promise<ToolQualityReport>>();

/** Nothing until it is there, and nothing if it fails: the tool can be used without it. */
function useReport({ id, state }: ClientInfo, items: readonly Tool[]): ToolQualityReport | undefined {
  const [found, setFound] = useState<{ readonly items: readonly Tool[]; readonly report: ToolQualityReport }>();
  useEffect(() => {
    if (state !== 'ready') return undefined;
    let isShown = true;
    const fetched = reports.get(items) ?? call('quality', { client: id });
    reports.set(items, fetched);
    fetched.then(
      (report) => isShown && setFound({ items, report }),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [id, state, items]);
  return found?.items === items ? found.report : undefined;
}
