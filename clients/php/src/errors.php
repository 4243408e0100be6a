<?php

declare(strict_types=1);

namespace Comanda;

/** Base class of all errors of this package. */
class ComandaError extends \RuntimeException
{
}

/** The value is not an API key. The message does not contain it. */
class BadKey extends ComandaError
{
}

/** A webhook that is not from Comanda, was modified, or is too old. */
class BadSignature extends ComandaError
{
}

/** No response after all retries. Repeat it with the same idempotency key; it is executed once. */
class ConnectionFailed extends ComandaError
{
    public function __construct(string $message, public readonly ?string $idempotencyKey = null)
    {
        parent::__construct($message);
    }
}

/** The service returned an error. */
class ApiError extends ComandaError
{
    public readonly string $errorCode;
    /** @var list<array{field: string, code: string, message: string}> */
    public readonly array $errors;
    /** Finds the call in the portal's request log. */
    public readonly string $requestId;
    /** The id of the message if it was created and then refused by the network. */
    public readonly ?string $messageId;

    /** @param array<string, mixed> $body */
    public function __construct(public readonly int $status, array $body, string $requestId = "")
    {
        $this->errorCode = (string) ($body["code"] ?? "");
        $this->errors = $body["errors"] ?? [];
        $this->requestId = (string) ($body["request_id"] ?? "") ?: $requestId;
        $this->messageId = $body["id"] ?? null;
        $message = (string) ($body["message"] ?? "") ?: "HTTP $status";
        parent::__construct("$message ($status {$this->errorCode}, {$this->requestId})");
    }

    /** @param array<string, mixed> $body */
    public static function of(int $status, array $body, string $requestId): self
    {
        return match (true) {
            in_array($status, [400, 413, 415, 422], true) => new InvalidRequest($status, $body, $requestId),
            $status === 401, $status === 403 => new NotAllowed($status, $body, $requestId),
            $status === 402 => new OverLimit($status, $body, $requestId),
            $status === 404 => new NotFound($status, $body, $requestId),
            $status === 409 => new Conflict($status, $body, $requestId),
            $status === 429 => new RateLimited($status, $body, $requestId),
            $status >= 500 => new Unavailable($status, $body, $requestId),
            default => new self($status, $body, $requestId),
        };
    }
}

/** 400, 413, 415, 422: a retry gives the same result. */
class InvalidRequest extends ApiError
{
}

/** 401, 403: the key is not valid or lacks a permission. */
class NotAllowed extends ApiError
{
}

/** 402: the trial has ended, or the monthly messages or the spend cap are used up. */
class OverLimit extends ApiError
{
}

class NotFound extends ApiError
{
}

/** 409: the object has changed meanwhile. */
class Conflict extends ApiError
{
}

/** 429, after all retries. */
class RateLimited extends ApiError
{
}

/** 5xx, after all retries; or a line that needs attention (line_unavailable). */
class Unavailable extends ApiError
{
}
