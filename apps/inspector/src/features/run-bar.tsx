/** Run for items without a schema: resources and prompts. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ClientInfo, RunRequest } from '../../../../src/inspector/api.ts';
import { Button } from '../controls/button.tsx';
import { runShown, shownKeys } from '../state/keys.ts';
import { start } from '../state/runs.ts';
import { CopyMenu } from './copy-menu.tsx';

interface RunBarProps {
  readonly client: ClientInfo;
  readonly request: RunRequest;
  readonly itemKey: string;
  readonly text: string;
  readonly isReady?: boolean;
  readonly children?: ComponentChildren;
}

export function RunBar({ client, request, itemKey, text, isReady = true, children }: RunBarProps) {
  const isEnabled = client.state === 'ready' && isReady;
  const run = (): void => {
    if (isEnabled) void start(client.id, request, itemKey);
  };
  useLayoutEffect(() => {
    runShown.value = run;
    return () => void (runShown.value = undefined);
  });
  return (
    <div class="run-bar">
      <Button variant="primary" icon="play" keys={shownKeys('↵')} onClick={run} isDisabled={!isEnabled}>
        {text}
      </Button>
      {children}
      <span class="spring" />
      <CopyMenu client={client} request={request} />
    </div>
  );
}
