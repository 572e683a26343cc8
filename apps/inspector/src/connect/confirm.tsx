/** Shows a command in full before it is started, and the names of variables before they are sent to a URL. */
import { useEffect, useRef } from 'preact/hooks';
import type { PreparedTarget } from '../../../../src/inspector/api.ts';
import { Button } from '../controls/button.tsx';
import { visibleText } from '../controls/format.ts';

interface ConfirmProps {
  readonly prepared: PreparedTarget;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function Confirm({ prepared: { shown, spawns, sends }, onConfirm, onCancel }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" onClose={onCancel}>
      {spawns !== undefined && <Spawned spawns={spawns} />}
      {sends !== undefined && <Sent shown={shown} sends={sends} />}
      <div class="dialog-bar">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" icon="play" onClick={onConfirm}>
          {sends === undefined ? 'Start' : 'Send'}
        </Button>
      </div>
    </dialog>
  );
}

interface SentProps {
  readonly shown: string;
  readonly sends: NonNullable<PreparedTarget['sends']>;
}

function Sent({ shown, sends }: SentProps) {
  return (
    <>
      <h2 id="confirm-title">Send variables of your environment?</h2>
      <p class="soft">The configuration file names them. You are not asked again for this server of this file.</p>
      <dl class="facts">
        <dt>To</dt>
        <dd class="mono">{visibleText(shown)}</dd>
        <dt>Variables</dt>
        <dd class="mono">
          {sends.variables.map(({ variable, field }, at) => (
            <div key={at}>{visibleText(`${variable} in ${field}`)}</div>
          ))}
        </dd>
      </dl>
    </>
  );
}

function Spawned({ spawns }: { readonly spawns: NonNullable<PreparedTarget['spawns']> }) {
  const { command, args, env, cwd } = spawns;
  return (
    <>
      <h2 id="confirm-title">Start this program?</h2>
      <p class="soft">It runs on this machine with your permissions, without a shell.</p>
      <dl class="facts">
        <dt>Program</dt>
        <dd class="mono">{visibleText(command)}</dd>
        <dt>Arguments</dt>
        <dd class="mono">
          {args.length === 0 && <span class="faint">none</span>}
          {args.map((arg, at) => (
            <div key={at}>{arg === '' ? '""' : visibleText(arg)}</div>
          ))}
        </dd>
        <dt>Variables</dt>
        <dd class="mono">
          {Object.keys(env).length === 0 && <span class="faint">none</span>}
          {Object.entries(env).map(([name, value]) => (
            <div key={name}>{visibleText(`${name}=${value}`)}</div>
          ))}
        </dd>
        <dt>Folder</dt>
        <dd class="mono">{visibleText(cwd)}</dd>
      </dl>
    </>
  );
}
