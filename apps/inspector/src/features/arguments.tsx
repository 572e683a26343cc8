/** The arguments of a call: as a form or as JSON, validated in place, with Run. */
import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { ClientInfo, RunRequest } from '../../../../src/inspector/api.ts';
import { checkValue, type FormField } from '../../../../src/json-schema/form-plan.ts';
import { Button, Segments } from '../controls/button.tsx';
import { idOf } from '../form/field-props.ts';
import { Form } from '../form/form.tsx';
import { JsonEditor } from '../form/json-editor.tsx';
import { JsonTree } from '../result/json-tree.tsx';
import { type Draft, draftOf, setDraft } from '../state/drafts.ts';
import { runShown, shownKeys } from '../state/keys.ts';
import { CopyMenu } from './copy-menu.tsx';
import { useServerProblems } from './server-problems.ts';

/** How arguments are shown: the same for all items. */
const argumentsView = signal<'form' | 'json' | 'schema'>('form');

interface ArgumentsProps {
  readonly client: ClientInfo;
  /** The key of the draft. */
  readonly draft: string;
  readonly plan: FormField;
  readonly value: unknown;
  readonly schema: unknown;
  readonly outputSchema?: unknown;
  readonly request: RunRequest;
  readonly onRun: () => void;
  readonly runText?: string;
}

export function ArgumentsPane(props: ArgumentsProps) {
  const { client, draft, plan, value, schema, outputSchema, request, onRun, runText = 'Run' } = props;
  const isTried = useSignal(false);
  const text = draftOf(draft)?.text;
  const own = checkValue(plan, value);
  const fromServer = useServerProblems(client, request, own.length === 0 && text === undefined);
  const problems = [...own, ...fromServer];
  const isBroken = text !== undefined;
  const send = (): void => {
    isTried.value = false;
    onRun();
  };
  const run = (): void => {
    if (client.state !== 'ready') return;
    if (problems.length === 0 && !isBroken) send();
    else {
      isTried.value = true;
      requestAnimationFrame(showProblem);
    }
  };
  useLayoutEffect(() => {
    runShown.value = run;
    return () => void (runShown.value = undefined);
  });
  const set = (next: Draft): void => setDraft(draft, next);
  const view = argumentsView.value;
  return (
    <section class="arguments" aria-label="Arguments">
      <div class="pane-bar">
        <Segments
          label="Arguments as"
          value={view}
          options={[
            ['form', 'Form'],
            ['json', 'JSON'],
            ['schema', 'Schema'],
          ]}
          onChange={(next) => (argumentsView.value = next)}
        />
        <CopyMenu client={client} request={request} />
      </div>
      {view === 'form' && (
        <Form
          field={plan}
          id={idOf(draft)}
          value={value}
          onChange={(next) => set({ value: next })}
          problems={isTried.value ? problems : own.filter(({ path }) => isFilled(value, path))}
        />
      )}
      {view === 'json' && <JsonArguments value={value} draft={draftOf(draft)} onChange={set} />}
      {view === 'schema' && <Schemas input={schema} output={outputSchema} />}
      <div class="run-bar">
        <Button
          variant="primary"
          icon="play"
          keys={shownKeys('↵')}
          onClick={(event) => event.detail < 2 && run()} // A double click is one call.
          isDisabled={client.state !== 'ready'}
        >
          {runText}
        </Button>
        {isTried.value && (problems.length > 0 || isBroken) && (
          <>
            <span class="run-problem" role="alert">
              {isBroken ? 'The JSON cannot be read.' : problemText(problems)}
            </span>
            {!isBroken && (
              <Button variant="quiet" onClick={send} title="Sends the arguments although they are not valid">
                Send anyway
              </Button>
            )}
          </>
        )}
        {client.state !== 'ready' && <span class="soft">Not connected.</span>}
      </div>
    </section>
  );
}

/** A form may be longer than its pane: the first field that is wrong gets the focus, or the problem comes into view. */
function showProblem(): void {
  const pane = document.querySelector('.arguments');
  const input = pane?.querySelector<HTMLElement>('[aria-invalid=true]');
  if (input != null) return input.focus();
  pane?.querySelector('.field-problem, .run-problem')?.scrollIntoView({ block: 'nearest' });
}

function problemText(problems: readonly { readonly path: readonly (string | number)[]; readonly message: string }[]) {
  const [first] = problems;
  const text = [first?.path.join('.'), first?.message].filter((part) => part !== '').join(': ');
  return problems.length > 1 ? `${text}, and ${problems.length - 1} more` : text;
}

/** Before Run only fields that have a value are marked: the others are still to be filled in. */
function isFilled(value: unknown, path: readonly (string | number)[]): boolean {
  const found = path.reduce<unknown>(
    (part, key) => (part as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
  return found !== undefined && found !== '';
}

interface JsonProps {
  readonly value: unknown;
  readonly draft: Draft | undefined;
  readonly onChange: (draft: Draft) => void;
}

function JsonArguments({ value, draft, onChange }: JsonProps) {
  const text = draft?.text;
  const change = (next: string): void => {
    try {
      const parsed = JSON.parse(next.trim() === '' ? '{}' : next) as unknown;
      onChange(JSON.stringify(parsed, null, 2) === next ? { value: parsed } : { value: parsed, shown: next });
    } catch {
      onChange({ value, text: next });
    }
  };
  return (
    <>
      <JsonEditor
        label="Arguments as JSON"
        value={text ?? draft?.shown ?? JSON.stringify(value, null, 2)}
        onChange={change}
        aria-invalid={text !== undefined}
      />
      {text !== undefined && <p class="field-problem">{jsonProblem(text)}</p>}
    </>
  );
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

const Schemas = ({ input, output }: { readonly input: unknown; readonly output: unknown }) => (
  <div class="schemas">
    <h3>Input</h3>
    <JsonTree value={input} openTo={3} />
    {output !== undefined && (
      <>
        <h3>Output</h3>
        <JsonTree value={output} openTo={3} />
      </>
    )}
  </div>
);
