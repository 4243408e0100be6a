export declare class ComandaError extends Error {}
export declare class BadKey extends ComandaError {}
export declare class BadSignature extends ComandaError {}
export declare class ConnectionFailed extends ComandaError {
  readonly idempotencyKey: string | null;
}
export declare class ApiError extends ComandaError {
  readonly status: number;
  readonly code: string;
  /** The invalid fields. */
  readonly errors: Array<{ field: string; code: string; message: string }>;
  /** Finds the call in the portal's request log. */
  readonly requestId: string;
  /** The id of the message if it was created and then refused by the network. */
  readonly messageId: string | null;
}
/** 400, 413, 415, 422: a retry gives the same result. */
export declare class InvalidRequest extends ApiError {}
/** 401, 403: the key is not valid or lacks a permission. */
export declare class NotAllowed extends ApiError {}
/** 402: the trial has ended, or the monthly messages or the spend cap are used up. */
export declare class OverLimit extends ApiError {}
export declare class NotFound extends ApiError {}
/** 409: the object has changed meanwhile. */
export declare class Conflict extends ApiError {}
/** 429, after all retries. */
export declare class RateLimited extends ApiError {}
/** 5xx, after all retries; or a line that needs attention (`line_unavailable`). */
export declare class Unavailable extends ApiError {}
export declare function errorFor(
  status: number,
  body: Record<string, any>,
  requestId: string,
): ApiError;
