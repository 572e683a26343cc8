/** What the backend finds wrong with arguments: all keywords of the schema, also patterns, which the form does not run. */
import { useEffect, useState } from 'preact/hooks';
import type { ClientInfo, RunRequest } from '../../../../src/inspector/api.ts';
import type { FormProblem } from '../../../../src/json-schema/form-plan.ts';
import { call } from '../api/call.ts';

const pauseMs = 250;

/** Only for arguments that the form finds nothing wrong with. */
export function useServerProblems(client: ClientInfo, request: RunRequest, isWanted: boolean): readonly FormProblem[] {
  const text = request.kind === 'tool' && isWanted ? JSON.stringify(request.arguments) : undefined;
  const tool = request.kind === 'tool' ? request.name : '';
  const [found, setFound] = useState<{ readonly text: string; readonly problems: readonly FormProblem[] }>();
  useEffect(() => {
    if (text === undefined || client.state !== 'ready') return undefined;
    const check = async (): Promise<void> => {
      const { problems } = await call('validate', { client: client.id, tool, arguments: JSON.parse(text) });
      setFound({ text, problems: problems.map(({ path, message }) => ({ path: placeIn(path), message })) });
    };
    const timer = setTimeout(() => void check().catch(() => undefined), pauseMs);
    return () => clearTimeout(timer);
  }, [client.id, client.state, tool, text]);
  return found?.text === text ? (found?.problems ?? []) : [];
}

/** The places that a JSON pointer names. */
export const placeIn = (pointer: string): readonly (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^(?:0|[1-9]\d*)$/.test(part) ? Number(part) : part));
