/** Channels and codecs that carry frames, whatever the protocol. */
export { type Channel, deliverClosed, deliverFrame, type FrameListener } from './channel.ts';
export { createLineReader, type LineReader, type LineReaderOptions, writeLine } from './lines.ts';
export { type MemoryChannelOptions, memoryChannels } from './memory.ts';
export {
  createEventReader,
  type EventReader,
  type EventReaderOptions,
  formatComment,
  formatEvent,
  type OutgoingEvent,
  type ServerSentEvent,
} from './sse.ts';
