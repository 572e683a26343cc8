/** The server: define tools and resources once, serve them to every revision. */
export {
  type Content,
  type Context,
  content,
  type Resource,
  type ResourceFacts,
  resource,
  type ServerDefinition,
  type Tool,
  type ToolFacts,
  tool,
} from './definition.ts';
export type { Connection, ServeOptions } from './duplex.ts';
export { createServer, type Server } from './server.ts';
