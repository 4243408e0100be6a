import type { Operations } from "./operations.js";
import type { CallOptions, ClientOptions } from "./transport.js";

export * from "./errors.js";
export type * from "./operations.js";
export { verifyWebhook } from "./webhooks.js";

type Answer<Name extends keyof Operations> = Operations[Name] extends (...given: any[]) => Promise<infer Found>
  ? Found
  : never;
type Entry<Name extends keyof Operations> = Answer<Name> extends { data: Array<infer One> } ? One : never;

/** The options of every send method. */
export interface SendOptions {
  instance_id?: number;
  reference?: string;
  scheduled_at?: Date | string;
  valid_for_seconds?: number;
  fallback_template?: Record<string, unknown>;
  /** Seconds to wait for the network's answer, 1 to 30; 0 returns at once. */
  wait?: number;
  idempotencyKey?: string;
}

export declare class Comanda {
  constructor(apiKey: string, baseUrl: string, options?: ClientOptions);
  /** Every call of the API, with its types. */
  readonly api: Operations;
  me(): Promise<Answer<"getMe">>;
  send(phone: string, message: string, options?: SendOptions): Promise<Answer<"postMessagesSend">>;
  sendMedia(
    phone: string,
    mediaUrl: string,
    type: "image" | "document" | "video" | "audio",
    options?: SendOptions & { caption?: string; filename?: string },
  ): Promise<Answer<"postMessagesSendMedia">>;
  sendLocation(
    phone: string,
    latitude: number,
    longitude: number,
    options?: SendOptions & { name?: string; address?: string },
  ): Promise<Answer<"postMessagesSendLocation">>;
  sendTemplate(
    phone: string,
    name: string,
    language: string,
    parameters?: string[] | Record<string, unknown>,
    options?: SendOptions,
  ): Promise<Answer<"postMessagesSendTemplate">>;
  message(id: string): Promise<Answer<"getMessagesByMessageId">>;
  timeline(id: string): Promise<Array<Record<string, any>>>;
  /** Possible until the message has been sent. */
  cancel(id: string): Promise<Answer<"getMessagesByMessageId">>;
  /** Newest first. */
  messages(filters?: Record<string, unknown> & { page?: number }): AsyncGenerator<Entry<"getMessages">>;
  contacts(filters?: Record<string, unknown> & { page?: number }): AsyncGenerator<Entry<"getContacts">>;
  contact(id: string): Promise<Entry<"getContacts">>;
  addContact(facts: Record<string, unknown>, options?: CallOptions): Promise<Entry<"getContacts">>;
  changeContact(id: string, facts: Record<string, unknown>): Promise<Entry<"getContacts">>;
  removeContact(id: string): Promise<void>;
  /** Oldest first, without gaps. Store the last `sequence` and pass it as `after` the next time. */
  events(after?: number, options?: { page?: number }): AsyncGenerator<Entry<"getEvents">>;
}
