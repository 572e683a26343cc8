/** Shows a command in full before it is started: program, arguments, variables and folder. */
import { useEffect, useRef } from 'preact/hooks';
import type { PreparedTarget } from '../../../../src/inspector/api.ts';
import { Button } from '../controls/button.tsx';
import { visibleText } from '../controls/format.ts';

interface ConfirmProps {
  readonly prepared: PreparedTarget;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function Confirm({ prepared: { spawns }, onConfirm, onCancel }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  if (spawns === undefined) return null;
  const { command, args, env, cwd } = spawns;
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" onClose={onCancel}>
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
      <div class="dialog-bar">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" icon="play" onClick={onConfirm}>
          Start
        </Button>
      </div>
    </dialog>
  );
}
