/** An extension for tests: methods, notifications in both directions, and a result type of its own. */
import type { ServerExtension } from 'tenon';
import { defineExtension, defineMethod, defineNotification, serveExtension, typedResult } from 'tenon/extensions';
import * as z from 'zod';

export const greetings = defineExtension('com.example/greetings', {
  methods: {
    hello: defineMethod('greetings/hello', {
      params: z.object({ name: z.string() }),
      result: z.object({ text: z.string() }),
    }),
    order: defineMethod('greetings/order', {
      params: z.object({ cards: z.number() }),
      result: z.object({ sent: z.number() }),
      resultTypes: { queued: z.object({ behind: z.number() }) },
      cacheable: true,
    }),
  },
  notifications: {
    waved: defineNotification('notifications/greetings/waved', {
      from: 'server',
      params: z.object({ to: z.string() }),
    }),
    left: defineNotification('notifications/greetings/left', { from: 'client', params: z.object({ why: z.string() }) }),
  },
  availableInSessions: true,
});

/** Serves the extension: `hello` also sends `waved`, and `received` is called with each `left` of a client. */
export const serveGreetings = (received: (why: string) => void = () => {}): ServerExtension =>
  serveExtension(greetings, {
    settings: { polite: true },
    methods: {
      hello({ name }, ctx) {
        ctx.notify(greetings.notifications.waved, { to: name });
        return { text: `Hello, ${name}, who says ${JSON.stringify(ctx.settings)}` };
      },
      order: ({ cards }) => (cards > 10 ? typedResult('queued', { behind: 3 }) : { sent: cards }),
    },
    notifications: { left: ({ why }) => received(why) },
  });
