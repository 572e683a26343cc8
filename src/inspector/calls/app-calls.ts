/** Calls that open and close apps. */
import type { CallTable } from './call.ts';
import { text } from './field-rules.ts';

export const appCalls: CallTable<'openApp' | 'closeApp'> = {
  openApp: {
    required: { client: text, uri: text },
    run: ({ client, uri }, { clients, apps }, { origin }) => apps.open(clients.get(client), uri, origin),
  },
  closeApp: {
    required: { app: text },
    run({ app }, { apps }) {
      apps.close(app);
      return {};
    },
  },
};
