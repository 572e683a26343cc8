/** The form of a target: a URL with headers, or a command with variables, and the options of the client. */
import { useSignal } from '@preact/signals';
import type { ApiConnectOptions, ApiTarget } from '../../../../src/inspector/api.ts';
import { Button } from '../controls/button.tsx';
import { Labelled } from '../controls/labelled.tsx';
import { place } from '../state/place.ts';
import { known } from '../state/store.ts';
import { pairsIn, targetIn } from './target-text.ts';

export interface Chosen {
  readonly target: ApiTarget;
  readonly options: ApiConnectOptions;
}

export function TargetForm({ onConnect }: { readonly onConnect: (chosen: Chosen) => void }) {
  const text = useSignal(place.value.connect ?? '');
  const pairs = useSignal('');
  const version = useSignal('');
  const cwd = useSignal('');
  const target = targetIn(text.value);
  const isCommand = target?.kind === 'command';
  const problem = pairsIn(pairs.value, isCommand ? '=' : ':').problem;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (target === undefined || problem !== undefined) return;
    const { values } = pairsIn(pairs.value, isCommand ? '=' : ':');
    const hasValues = Object.keys(values).length > 0;
    const options = version.value === '' ? {} : { protocolVersion: version.value };
    if (target.kind === 'command') {
      const folder = cwd.value.trim() === '' ? {} : { cwd: cwd.value.trim() };
      onConnect({ target: { ...target, ...folder, ...(hasValues && { env: values }) }, options });
    } else onConnect({ target: { ...target, ...(hasValues && { headers: values }) }, options });
  };
  return (
    <form class="form fields target-form" onSubmit={submit}>
      <Labelled id="target" label="URL or command" about={hintOf(target?.kind)}>
        <input
          id="target"
          type="text"
          class="mono"
          placeholder="https://example.com/mcp or npx -y @modelcontextprotocol/server-everything"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </Labelled>
      <div class="field-row">
        <Labelled id="version" label="Protocol version">
          <select id="version" value={version} onChange={(event) => (version.value = event.currentTarget.value)}>
            <option value="">Negotiate</option>
            {known.value.protocolVersions.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Labelled>
        {isCommand && (
          <Labelled id="cwd" label="Folder">
            <input
              id="cwd"
              type="text"
              class="mono"
              placeholder="where the inspector runs"
              value={cwd}
              onInput={(event) => (cwd.value = event.currentTarget.value)}
            />
          </Labelled>
        )}
      </div>
      <Labelled id="pairs" label={isCommand ? 'Environment' : 'Headers'} note="optional" problem={problem}>
        <textarea
          id="pairs"
          rows={2}
          placeholder={isCommand ? 'NAME=value' : 'Authorization: Bearer …'}
          spellcheck={false}
          value={pairs}
          aria-invalid={problem !== undefined}
          onInput={(event) => (pairs.value = event.currentTarget.value)}
        />
      </Labelled>
      <div class="run-bar">
        <Button type="submit" variant="primary" isDisabled={target === undefined}>
          {isCommand ? 'Connect…' : 'Connect'}
        </Button>
      </div>
    </form>
  );
}

function hintOf(kind: ApiTarget['kind'] | undefined): string {
  if (kind === 'url')
    return 'Streamable HTTP is tried first, then HTTP+SSE. A server that requires a sign-in starts one.';
  if (kind === 'command') return 'The program is shown in full before it is started.';
  return 'A URL connects over HTTP; anything else is a program that speaks over stdio.';
}
