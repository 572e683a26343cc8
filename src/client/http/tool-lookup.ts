/** Finds a tool in the server's list, for the parameters that are repeated in headers. */
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { Post, type PostPorts } from './post.ts';
import type { ToolPage } from './tool-lists.ts';
import type { PostContext } from './transport.ts';

/** More pages than any list has: an endless list is stopped there. */
const maxPages = 100;

export interface LookupPorts extends Pick<PostPorts, 'headers'> {
  read(text: string): ToolPage;
  /** Called once, with whether the tool was found. */
  done(found: boolean): void;
}

/** Requests the lists with the `_meta` of the call. The result stops it: a call that has ended needs no list. */
export function lookUpTool(context: PostContext, name: string, meta: unknown, ports: LookupPorts): () => void {
  let pages = 0;
  let current: Post | undefined;
  const requestPage = (cursor: unknown): void => {
    const params = cursor === undefined ? { _meta: meta } : { cursor, _meta: meta };
    const message: RequestMessage = { jsonrpc: '2.0', id: `tools-${++pages}`, method: 'tools/list', params };
    let answer: string | undefined;
    // The response is for this look-up alone, not for the caller.
    const lookupContext: PostContext = {
      port: context.port,
      deadlines: context.deadlines,
      address: context.address,
      maxBytes: context.maxBytes,
      deliver(text) {
        answer ??= text;
      },
      warn: (error) => context.warn(error),
      waits: () => answer === undefined,
      failed() {},
      delayed: (isDelayed) => context.delayed(isDelayed),
    };
    const finished = (): void => {
      const page = answer === undefined ? undefined : ports.read(answer);
      if (page?.tools.some((tool) => tool.name === name)) return ports.done(true);
      if (page?.nextCursor === undefined || pages >= maxPages) return ports.done(false);
      requestPage(page.nextCursor);
    };
    current = new Post(lookupContext, { headers: ports.headers, finished }, JSON.stringify(message), message);
    current.start();
  };
  requestPage(undefined);
  return () => current?.abort();
}
