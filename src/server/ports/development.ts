/** Marks the server of a developer, whose clients get the reason why a returned value cannot be sent. */

/** The same in every copy of this package: the command line marks servers of the copy that a project uses. */
const mark = Symbol.for('tenon development');

export const markAsDevelopment = <S extends object>(server: S): S =>
  Object.defineProperty(server, mark, { value: true, configurable: true });

export const isDevelopment = (server: object): boolean => mark in server;
