/** The form of a target: a URL with headers, or a command with variables, and the options of the client. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiTarget } from '../../../../src/inspector/api.ts';
import { Button } from '../controls/button.tsx';
import { Labelled } from '../controls/labelled.tsx';
import { place } from '../state/place.ts';
import { known } from '../state/store.ts';
import { type Chosen, edited } from './edited.ts';
import { lineOf, pairsIn, pairsText, targetIn } from './target-text.ts';

/** The texts of the form for what is edited, or for the target that a link names. */
function firstTexts() {
  const nothing = { text: place.peek().connect ?? '', pairs: '', version: '', cwd: '' };
  const before = edited.peek();
  if (before === undefined) return nothing;
  const { target, options } = before.chosen;
  const version = options.protocolVersion ?? '';
  if (target.kind === 'url') return { ...nothing, text: target.url, pairs: pairsText(target.headers, ': '), version };
  if (target.kind !== 'command') return nothing;
  const { command, args, env, cwd = '' } = target;
  return { text: lineOf([command, ...args]), pairs: pairsText(env, '='), version, cwd };
}

export function TargetForm({ onConnect }: { readonly onConnect: (chosen: Chosen) => void }) {
  const fields = useSignal(firstTexts());
  const { text, pairs, version, cwd } = fields.value;
  const set = (next: Partial<typeof fields.value>): void => void (fields.value = { ...fields.peek(), ...next });
  const target = targetIn(text);
  const isCommand = target?.kind === 'command';
  const { values, problem } = pairsIn(pairs, isCommand ? '=' : ':');
  useEffect(() => document.getElementById(edited.peek()?.field ?? 'target')?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (target === undefined || problem !== undefined) return;
    const options = version === '' ? {} : { protocolVersion: version };
    const env = target.kind === 'command' ? { ...target.env, ...values } : values;
    const hasValues = Object.keys(env).length > 0;
    if (target.kind === 'command') {
      const folder = cwd.trim() === '' ? {} : { cwd: cwd.trim() };
      onConnect({ target: { ...target, ...folder, ...(hasValues && { env }) }, options });
    } else onConnect({ target: { ...target, ...(hasValues && { headers: values }) }, options });
  };
  return (
    <form class="form fields target-form" onSubmit={submit}>
      <Labelled id="target" label="URL or command" about={hintOf(target)}>
        <input
          id="target"
          type="text"
          class="mono"
          placeholder="https://example.com/mcp or npx -y @modelcontextprotocol/server-everything"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => set({ text: event.currentTarget.value })}
        />
      </Labelled>
      <div class="field-row">
        <Labelled id="version" label="Protocol version">
          <select id="version" value={version} onChange={(event) => set({ version: event.currentTarget.value })}>
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
              onInput={(event) => set({ cwd: event.currentTarget.value })}
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
          onInput={(event) => set({ pairs: event.currentTarget.value })}
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

function hintOf(target: ApiTarget | undefined): string {
  if (target?.kind === 'url')
    return 'Streamable HTTP is tried first, then HTTP+SSE. A server that requires a sign-in starts one.';
  if (target?.kind !== 'command') return 'A URL connects over HTTP; anything else is a program that speaks over stdio.';
  const names = Object.keys(target.env ?? {}).join(', ');
  return names === ''
    ? 'The program is shown in full before it is started.'
    : `Sets ${names} for the program, which is shown in full before it is started.`;
}
