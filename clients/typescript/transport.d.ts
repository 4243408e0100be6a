export interface ClientOptions {
  /** Seconds until a request is given up (40). */
  timeout?: number;
  /** How often a request is repeated after 429, 5xx or a failed connection (4). */
  retries?: number;
  fetch?: typeof fetch;
  sleep?: (seconds: number) => Promise<void>;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Repeating a POST with the same key executes it once. */
  idempotencyKey?: string;
}

export declare class Transport {
  constructor(apiKey: string, baseUrl: string, options?: ClientOptions);
  call(
    method: string,
    path: string,
    options?: CallOptions & { body?: unknown; query?: Record<string, unknown> },
  ): Promise<any>;
  pages(path: string, query?: Record<string, unknown>, limit?: number): AsyncGenerator<any>;
}
