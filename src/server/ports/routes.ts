/** Paths that are served beside an endpoint, without authentication. */

/** Serves paths of its own beside the endpoint, such as those of an authorization server. It needs requests of Node. */
export interface Routes {
  /** Whether it serves a path. */
  has(path: string): boolean;
  /**
   * Serves a request for one of its paths, as `IncomingMessage` and `ServerResponse`, once its host was checked. `address` is
   * that of the client, behind `trustedProxies` the one that they forwarded.
   */
  serve(path: string, request: never, response: never, address: string): void;
}

/** Several as one; `undefined` for none. */
export function joinedRoutes(all: readonly Routes[]): Routes | undefined {
  if (all.length <= 1) return all[0];
  const routesOf = (path: string): Routes | undefined => all.find((routes) => routes.has(path));
  return {
    has: (path) => routesOf(path) !== undefined,
    serve: (path, ...rest) => routesOf(path)?.serve(path, ...rest),
  };
}
