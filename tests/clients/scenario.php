<?php
// Runs the steps of scenario.py, which come as JSON on the standard input, and prints the results.
declare(strict_types=1);

[, $folder, $url, $key] = $argv;
foreach (["errors", "Transport", "Operations", "Comanda"] as $file) {
    require "$folder/src/$file.php";
}
$client = new Comanda\Comanda($key, $url);
$hidden = ["request_id", "key", "created_at", "instance_id", "cost_usd"];
$objects = ["fields"]; // PHP has one empty array for {} and []; these are objects in the API
$saved = [];

$picked = function (mixed $found, ?array $fields) use (&$picked, $hidden, $objects): mixed {
    if (!is_array($found)) {
        return $found;
    }
    if (array_is_list($found)) {
        return array_map(fn ($one) => $picked($one, $fields), $found);
    }
    $names = $fields ?? array_keys($found);
    sort($names);
    $made = [];
    foreach (array_diff($names, $hidden) as $name) {
        $isObject = $found[$name] === [] && in_array($name, $objects, true);
        $made[$name] = $isObject ? new stdClass() : $found[$name];
    }
    return $made;
};

$results = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $step) {
    $args = [];
    foreach ($step["args"] ?? [] as $value) {
        if (is_string($value) && str_starts_with($value, "$")) {
            [$name, $field] = explode(".", substr($value, 1));
            $value = $saved[$name][$field];
        }
        $args[] = $value;
    }
    if (isset($step["facts"])) {
        $args[] = $step["facts"];
    }
    if (isset($step["filters"])) {
        $page = $step["filters"]["page"] ?? 200;
        unset($step["filters"]["page"]);
        array_push($args, $step["filters"], $page);
    }
    if ($step["call"] === "sendTemplate" && count($args) < 4) {
        $args[] = [];
    }
    if (isset($step["options"])) {
        $args[] = $step["options"];
    }
    try {
        $found = $client->{$step["call"]}(...$args);
        $found = $found instanceof Generator ? iterator_to_array($found, false) : $found;
        if (isset($step["as"])) {
            $saved[$step["as"]] = $found;
        }
        $results[] = $picked($found, $step["pick"] ?? null);
    } catch (Comanda\ApiError $error) {
        $results[] = [
            "error" => (new ReflectionClass($error))->getShortName(),
            "status" => $error->status,
            "code" => $error->errorCode,
            "fields" => array_column($error->errors, "field"),
        ];
    }
}
echo json_encode($results, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
