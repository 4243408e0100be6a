<?php

declare(strict_types=1);

namespace Comanda;

/** HTTP calls with retries where a retry is safe and useful. */
final class Transport
{
    private const AGAIN = [429, 500, 502, 503, 504];
    private const LONGEST_WAIT = 60;

    private readonly string $key;
    private readonly string $base;

    public function __construct(
        string $apiKey,
        string $baseUrl,
        private readonly float $timeout = 40.0,
        private readonly int $retries = 4,
    ) {
        $this->key = trim($apiKey); // a key from a file often ends with a newline
        if (!str_starts_with($this->key, "ck_")) {
            throw new BadKey("an API key begins with ck_live_ or ck_test_");
        }
        if (!preg_match('/^\w+$/D', $this->key)) {
            throw new BadKey("an API key consists of letters, digits and underscores");
        }
        $this->base = preg_replace('~/api/v1$~', "", rtrim($baseUrl, "/")) . "/api/v1";
    }

    /**
     * Every POST has an idempotency key, the same in each try, so it is executed once.
     *
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $query
     * @param array{headers?: array<string, string>, idempotencyKey?: string} $options
     * @return array<string, mixed>
     */
    public function call(string $method, string $path, ?array $body = null, array $query = [], array $options = []): array
    {
        $headers = [
            "Authorization" => "Bearer {$this->key}",
            "Accept" => "application/json",
            "User-Agent" => "comanda-php/1.0.0",
            ...($options["headers"] ?? []),
        ];
        $idempotencyKey = $options["idempotencyKey"] ?? null;
        if ($method === "POST") {
            $idempotencyKey ??= bin2hex(random_bytes(16));
            $headers["Idempotency-Key"] = $idempotencyKey;
        }
        if ($body !== null) {
            $headers["Content-Type"] = "application/json";
        }
        $url = $this->base . $path . self::queryText($query);
        for ($attempt = 0; ; $attempt++) {
            $last = $attempt >= $this->retries;
            try {
                [$status, $given, $text] = $this->request($method, $url, $headers, $body);
            } catch (ConnectionFailed $error) {
                // A DELETE whose response was lost would get a 404 the second time.
                if ($last || $method === "DELETE") {
                    throw new ConnectionFailed("$method $path: {$error->getMessage()}", $idempotencyKey);
                }
                self::sleep(self::backOff($attempt));
                continue;
            }
            $found = json_decode($text, true);
            $found = is_array($found) ? $found : [];
            if ($status < 400) {
                return $found;
            }
            $wait = self::worthAWait($status, $found, $given["retry-after"] ?? null, $attempt);
            if ($last || $wait === null) {
                throw ApiError::of($status, $found, $given["x-request-id"] ?? "");
            }
            self::sleep($wait);
        }
    }

    /**
     * All entries of a list; the next page is fetched when it is needed.
     *
     * @param array<string, mixed> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public function pages(string $path, array $query = [], int $limit = 200): \Generator
    {
        $query["limit"] = $limit;
        do {
            $found = $this->call("GET", $path, null, $query);
            foreach ($found["data"] as $one) {
                yield $one;
            }
            $query["after"] = $found["next"];
        } while ($found["next"] !== null);
    }

    /**
     * @param array<string, string> $headers
     * @param array<string, mixed>|null $body
     * @return array{int, array<string, string>, string}
     */
    private function request(string $method, string $url, array $headers, ?array $body): array
    {
        $given = [];
        $handle = curl_init($url);
        curl_setopt_array($handle, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_CONNECTTIMEOUT_MS => (int) (min($this->timeout, 10) * 1000),
            CURLOPT_TIMEOUT_MS => (int) ($this->timeout * 1000),
            CURLOPT_HTTPHEADER => array_map(
                fn (string $name, string $value): string => "$name: $value",
                array_keys($headers),
                $headers,
            ),
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$given): int {
                [$name, $value] = explode(":", $line, 2) + [1 => ""];
                $given[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR;
            curl_setopt($handle, CURLOPT_POSTFIELDS, json_encode($body === [] ? new \stdClass() : $body, $flags));
        }
        $text = curl_exec($handle);
        if ($text === false) {
            throw new ConnectionFailed(curl_error($handle));
        }
        return [(int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $given, (string) $text];
    }

    /** @param array<string, mixed> $body */
    private static function worthAWait(int $status, array $body, ?string $retryAfter, int $attempt): ?float
    {
        $code = $body["code"] ?? "";
        if ($code === "line_unavailable") {
            return null;
        }
        if (!in_array($status, self::AGAIN, true) && $code !== "idempotency_in_flight") {
            return null;
        }
        if ($retryAfter !== null && ctype_digit($retryAfter)) {
            return (int) $retryAfter <= self::LONGEST_WAIT ? (float) $retryAfter : null;
        }
        return self::backOff($attempt);
    }

    /** Half a second, one, two, … with jitter, so that many clients do not retry together. */
    private static function backOff(int $attempt): float
    {
        return min(0.5 * 2 ** $attempt, 20) * (0.75 + mt_rand() / mt_getrandmax() / 2);
    }

    private static function sleep(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }

    /** @param array<string, mixed> $query */
    private static function queryText(array $query): string
    {
        $named = [];
        foreach ($query as $name => $value) {
            if ($value === null) {
                continue;
            }
            $named[$name] = match (true) {
                is_bool($value) => $value ? "true" : "false",
                $value instanceof \DateTimeInterface => $value->format(DATE_RFC3339),
                default => (string) $value,
            };
        }
        return $named ? "?" . http_build_query($named, "", "&", PHP_QUERY_RFC3986) : "";
    }
}
