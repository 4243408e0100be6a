<?php

declare(strict_types=1);

namespace Comanda;

/** A client for the Comanda messaging API. Lists are generators that fetch pages as they are consumed. */
final class Comanda
{
    use Operations;

    private const TOLERANCE_SECONDS = 300;

    private readonly Transport $transport;

    public function __construct(string $apiKey, string $baseUrl, float $timeout = 40.0, int $retries = 4)
    {
        $this->transport = new Transport($apiKey, $baseUrl, $timeout, $retries);
    }

    protected function transport(): Transport
    {
        return $this->transport;
    }

    /** @return array<string, mixed> */
    public function me(): array
    {
        return $this->transport->call("GET", "/me");
    }

    // Sending. Each call waits up to ten seconds for the network's answer; "wait" => 0 does not wait.

    /**
     * @param array<string, mixed> $options instance_id, reference, scheduled_at, wait, idempotencyKey, …
     * @return array<string, mixed>
     */
    public function send(string $phone, string $message, array $options = []): array
    {
        return $this->sendTo("/messages/send", ["phone" => $phone, "message" => $message], $options);
    }

    /**
     * @param array<string, mixed> $options also caption and filename
     * @return array<string, mixed>
     */
    public function sendMedia(string $phone, string $mediaUrl, string $type, array $options = []): array
    {
        $body = ["phone" => $phone, "media_url" => $mediaUrl, "type" => $type];
        return $this->sendTo("/messages/send-media", $body, $options);
    }

    /**
     * @param array<string, mixed> $options also name and address
     * @return array<string, mixed>
     */
    public function sendLocation(string $phone, float $latitude, float $longitude, array $options = []): array
    {
        $body = ["phone" => $phone, "latitude" => $latitude, "longitude" => $longitude];
        return $this->sendTo("/messages/send-location", $body, $options);
    }

    /**
     * @param list<string>|array<string, mixed> $parameters
     * @param array<string, mixed> $options
     * @return array<string, mixed>
     */
    public function sendTemplate(string $phone, string $name, string $language, array $parameters = [], array $options = []): array
    {
        $body = ["phone" => $phone, "name" => $name, "language" => $language, "parameters" => $parameters];
        return $this->sendTo("/messages/send-template", $body, $options);
    }

    /** @return array<string, mixed> */
    public function message(string $id): array
    {
        return $this->transport->call("GET", "/messages/" . rawurlencode($id));
    }

    /** @return list<array<string, mixed>> */
    public function timeline(string $id): array
    {
        return $this->transport->call("GET", "/messages/" . rawurlencode($id) . "/timeline")["data"];
    }

    /** @return array<string, mixed> */
    public function cancel(string $id): array
    {
        return $this->transport->call("POST", "/messages/" . rawurlencode($id) . "/cancel");
    }

    /** @param array<string, mixed> $filters */
    public function messages(array $filters = [], int $page = 200): \Generator
    {
        return $this->transport->pages("/messages", $filters, $page);
    }

    /** @param array<string, mixed> $filters */
    public function contacts(array $filters = [], int $page = 200): \Generator
    {
        return $this->transport->pages("/contacts", $filters, $page);
    }

    /** @return array<string, mixed> */
    public function contact(string $id): array
    {
        return $this->transport->call("GET", "/contacts/" . rawurlencode($id));
    }

    /**
     * @param array<string, mixed> $facts
     * @return array<string, mixed>
     */
    public function addContact(array $facts, ?string $idempotencyKey = null): array
    {
        $options = $idempotencyKey === null ? [] : ["idempotencyKey" => $idempotencyKey];
        return $this->postContacts($facts, $options);
    }

    /**
     * @param array<string, mixed> $facts
     * @return array<string, mixed>
     */
    public function changeContact(string $id, array $facts): array
    {
        return $this->patchContactsByContactId($id, $facts);
    }

    public function removeContact(string $id): void
    {
        $this->transport->call("DELETE", "/contacts/" . rawurlencode($id));
    }

    /** Oldest first, without gaps, up to the present. Store the last "sequence" for the next time. */
    public function events(int $after = 0, int $page = 200): \Generator
    {
        return $this->transport->pages("/events", ["after" => $after], $page);
    }

    /**
     * Returns the event, or throws BadSignature. $body is the raw request body.
     *
     * @param array<string, string> $headers
     * @param string|list<string> $secrets
     * @return array<string, mixed>
     */
    public static function verifyWebhook(
        array $headers,
        string $body,
        string|array $secrets,
        int $tolerance = self::TOLERANCE_SECONDS,
        ?int $now = null,
    ): array {
        $given = array_change_key_case($headers);
        $id = $given["webhook-id"] ?? "";
        $stamp = $given["webhook-timestamp"] ?? "";
        $signatures = array_filter(explode(" ", $given["webhook-signature"] ?? ""));
        if ($id === "" || $stamp === "" || !$signatures) {
            throw new BadSignature("webhook-id, webhook-timestamp and webhook-signature are needed");
        }
        if (!ctype_digit($stamp)) {
            throw new BadSignature("webhook-timestamp is not a number of seconds");
        }
        if (abs(($now ?? time()) - (int) $stamp) > $tolerance) {
            throw new BadSignature("webhook-timestamp is too far from the current time");
        }
        foreach ((array) $secrets as $secret) {
            $key = base64_decode(preg_replace('/^whsec_/', "", $secret), true);
            if ($key === false) {
                throw new BadSignature("the secret is whsec_ and base64, as the portal showed it");
            }
            $good = "v1," . base64_encode(hash_hmac("sha256", "$id.$stamp.$body", $key, true));
            foreach ($signatures as $signature) {
                if (hash_equals($good, $signature)) {
                    return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
                }
            }
        }
        throw new BadSignature("no signature matches the body");
    }

    /**
     * @param array<string, mixed> $body
     * @param array<string, mixed> $options
     * @return array<string, mixed>
     */
    private function sendTo(string $path, array $body, array $options): array
    {
        $call = [];
        if (isset($options["wait"])) {
            $call["headers"] = ["Prefer" => $options["wait"] ? "wait={$options["wait"]}" : "respond-async"];
        }
        if (isset($options["idempotencyKey"])) {
            $call["idempotencyKey"] = $options["idempotencyKey"];
        }
        unset($options["wait"], $options["idempotencyKey"]);
        if (($options["scheduled_at"] ?? null) instanceof \DateTimeInterface) {
            $options["scheduled_at"] = $options["scheduled_at"]->format(DATE_RFC3339);
        }
        return $this->transport->call("POST", $path, [...$body, ...$options], [], $call);
    }
}
