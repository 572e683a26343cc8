/** Replaces the features of the server that clients are connected to by those of a newly loaded one. */
import { connect } from '../../client/connect.ts';
import { digestOf } from '../../lib/text/canonical-json.ts';
import type { Middleware } from '../../server/definition/middleware.ts';
import type { Follower, ServerFeatures } from '../../server/definition/server.ts';
import type { Server } from '../../server/server.ts';

const kinds = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;

/** Clients are notified of the lists that changed. Throws if the features do not fit, as with mounted servers. */
function replaceFeatures(front: Server, features: ServerFeatures): void {
  front.update((draft) => {
    for (const kind of kinds) {
      const own: Record<string, unknown> = draft[kind];
      for (const name of Object.keys(own)) delete own[name];
      Object.assign(own, features[kind]);
    }
  });
}

/** References the follower of the latest server: servers reference theirs weakly. */
export class Replacement {
  readonly #front: Server;
  #follower: Follower | undefined;

  constructor(front: Server) {
    this.#front = front;
  }

  /** Later changes, logs and notifications of the new server go to the clients of the first one. */
  replaceBy(next: Server): void {
    const front = this.#front;
    replaceFeatures(front, next.features);
    (front.middleware as Middleware[]).splice(0, Number.POSITIVE_INFINITY, ...(next.middleware ?? []));
    const isCurrent = (): boolean => this.#follower === follower;
    const follower: Follower = {
      prepare: (features) => () => {
        if (isCurrent()) replaceFeatures(front, features);
      },
      updated(uri) {
        if (isCurrent()) front.sendResourceUpdated(uri);
      },
    };
    this.#follower = follower;
    next.follow(follower);
    Object.assign(next, { log: front.log, notify: front.notify });
  }

  /** Whether both have the same name, instructions and capabilities: clients get those only when they connect. */
  async isSameAs(next: Server): Promise<boolean> {
    return (await described(this.#front)) === (await described(next));
  }
}

async function described(server: Server): Promise<string> {
  const client = await connect(server, { reconnect: false, onWarning: () => {} });
  try {
    const { serverInfo, instructions, capabilities } = client;
    return digestOf({ serverInfo, instructions, capabilities });
  } finally {
    await client.close();
  }
}
