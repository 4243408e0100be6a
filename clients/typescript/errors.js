// The errors. Check `code` in programs; `requestId` finds the call in the request log.

export class ComandaError extends Error {
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

/** The value is not an API key. The message does not contain it. */
export class BadKey extends ComandaError {}

/** A webhook that is not from Comanda, was modified, or is too old. */
export class BadSignature extends ComandaError {}

/** No response after all retries. Repeat it with the same `idempotencyKey`; it is executed once. */
export class ConnectionFailed extends ComandaError {
  constructor(message, idempotencyKey) {
    super(message);
    this.idempotencyKey = idempotencyKey ?? null;
  }
}

/** The service returned an error. */
export class ApiError extends ComandaError {
  constructor(status, body, requestId = "") {
    const message = body.message || `HTTP ${status}`;
    super(`${message} (${status} ${body.code ?? ""}, ${body.request_id || requestId})`);
    this.status = status;
    this.code = body.code ?? "";
    this.errors = body.errors ?? [];
    this.requestId = body.request_id || requestId;
    this.messageId = body.id ?? null;
  }
}

export class InvalidRequest extends ApiError {}
export class NotAllowed extends ApiError {}
export class OverLimit extends ApiError {}
export class NotFound extends ApiError {}
export class Conflict extends ApiError {}
export class RateLimited extends ApiError {}
export class Unavailable extends ApiError {}

const KINDS = new Map([
  [400, InvalidRequest],
  [401, NotAllowed],
  [402, OverLimit],
  [403, NotAllowed],
  [404, NotFound],
  [409, Conflict],
  [413, InvalidRequest],
  [415, InvalidRequest],
  [422, InvalidRequest],
  [429, RateLimited],
]);

export function errorFor(status, body, requestId) {
  const Kind = KINDS.get(status) ?? (status >= 500 ? Unavailable : ApiError);
  return new Kind(status, body, requestId);
}
