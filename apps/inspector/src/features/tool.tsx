/** A tool: what it is, its arguments as form or JSON, Run, the result and earlier runs. */

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ClientInfo, RunInfo } from '../../../../src/inspector/api.ts';
import { initialValue, planForm } from '../../../../src/json-schema/form-plan.ts';
import type { Tool } from '../../../../src/protocol/generated/types/records.ts';
import { appUriOf } from '../state/app-uri.ts';
import { draftOf } from '../state/drafts.ts';
import { listOf } from '../state/lists.ts';
import { choose, place } from '../state/place.ts';
import { start } from '../state/runs.ts';
import { known } from '../state/store.ts';
import { ArgumentsPane } from './arguments.tsx';
import { Head } from './head.tsx';
import { Missing } from './missing.tsx';
import { ModelNotes } from './model-notes.tsx';
import { Outcome } from './outcome.tsx';

interface ToolPaneProps {
  readonly client: ClientInfo;
  readonly show?: (run: RunInfo, tool: Tool) => ComponentChildren;
}

export function ToolPane({ client, show }: ToolPaneProps) {
  const { name } = place.value;
  const list = listOf(client.id, 'tools');
  const tool = list.items.find((each) => each.name === name);
  if (tool !== undefined) return <OneTool key={tool.name} client={client} tool={tool} items={list.items} show={show} />;
  return <Missing client={client} noun="tool" name={name} list={list} />;
}

type Fields = Readonly<Record<string, unknown>>;

interface OneToolProps {
  readonly client: ClientInfo;
  readonly tool: Tool;
  readonly items: readonly Tool[];
  readonly show: ToolPaneProps['show'] | undefined;
}

function OneTool({ client, tool, items, show }: OneToolProps) {
  const key = `tool ${tool.name}`;
  const plan = useMemo(() => planForm(tool.inputSchema), [tool]);
  const { suggestion } = known.value;
  const first = suggestion?.tool === tool.name ? suggestion.arguments : initialValue(plan);
  const value = draftOf(key)?.value ?? first ?? {};
  const run = (): void => void start(client.id, { kind: 'tool', name: tool.name, arguments: value as Fields });
  return (
    <article class="item-pane">
      <Head title={tool.title ?? tool.annotations?.title ?? tool.name} name={tool.name} about={tool.description}>
        <Hints tool={tool} />
        {show === undefined && appUriOf(tool) !== undefined && (
          <button type="button" class="text-button" onClick={() => choose({ section: 'apps', name: tool.name })}>
            Show it with its app
          </button>
        )}
      </Head>
      <ModelNotes client={client} tool={tool.name} items={items} />
      <ArgumentsPane
        client={client}
        draft={key}
        plan={plan}
        value={value}
        schema={tool.inputSchema}
        outputSchema={tool.outputSchema}
        request={{ kind: 'tool', name: tool.name, arguments: value as Fields }}
        onRun={run}
      />
      <Outcome itemKey={key} client={client} show={show && ((run) => show(run, tool))} />
    </article>
  );
}

/** What the tool says of itself. A server may say anything: these are hints. */
function Hints({ tool: { annotations = {}, execution } }: { readonly tool: Tool }) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const hints: (readonly [string, string, string])[] = [];
  if (readOnlyHint === true) hints.push(['good', 'read-only', 'It says that it changes nothing.']);
  if (destructiveHint === true && readOnlyHint !== true)
    hints.push(['bad', 'destructive', 'It may delete or overwrite.']);
  if (idempotentHint === true) hints.push(['', 'idempotent', 'Running it twice has the effect of once.']);
  if (openWorldHint === true) hints.push(['', 'open world', 'It reaches other systems.']);
  if (execution?.taskSupport !== undefined && execution.taskSupport !== 'forbidden')
    hints.push(['', `task ${execution.taskSupport}`, 'It can run as a task that outlives the request.']);
  return (
    <>
      {hints.map(([color, text, title]) => (
        <span key={text} class={`chip ${color}`} title={title}>
          {text}
        </span>
      ))}
    </>
  );
}
