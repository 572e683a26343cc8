/** An extension to test with: one method, news both ways, and a result that says it will take longer. */

import type { ServerExtension } from 'tenon/extensions';
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

/** It served: whoever is greeted is waved at, and what a client tells is told to `heard`. */
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
