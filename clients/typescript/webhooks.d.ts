import type { EventShape } from "./operations.js";

export declare function verifyWebhook<Event extends EventShape = EventShape>(
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string | Uint8Array,
  secret: string | string[],
  options?: { tolerance?: number; now?: number },
): Event;
