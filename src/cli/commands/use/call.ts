/** `tenon call`: calls a tool. */
import { sendRequest } from '../../answers/send-request.ts';
import type { RunCommand } from '../../io/command.ts';

export const run: RunCommand = async (given) => {
  if (!given.flag('detach')) return sendRequest(given, 'call');
  const { startTask } = await import('../../answers/started-tasks.ts');
  return startTask(given);
};
