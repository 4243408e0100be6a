<?php

// Made from the OpenAPI document by `make clients`. Do not edit.

declare(strict_types=1);

namespace Comanda;

trait Operations
{
    abstract protected function transport(): Transport;

    /**
     * PHP has one empty array for the empty list and the empty object. These fields are objects.
     *
     * @param array<string, mixed> $body
     * @param list<string> $names
     * @return array<string, mixed>
     */
    private static function withObjects(array $body, array $names): array
    {
        foreach ($names as $name) {
            if (($body[$name] ?? null) === []) {
                $body[$name] = new \stdClass();
            }
        }
        return $body;
    }

    /**
     * List audiences: GET /audiences
     *
     * @param array{limit?: mixed, after?: mixed} $query
     * @return array{'data': list<array{'id': string, 'name': string, 'filters': array<string, mixed>, 'created_at': string, 'changed_at': string}>, 'next': string|null}
     */
    public function getAudiences(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/audiences", null, $query, $options);
    }

    /**
     * Save an audience: POST /audiences
     *
     * @param array{'name': string, 'filters'?: array{'tags'?: list<string>|null, 'without_tags'?: list<string>|null, 'languages'?: list<string>|null, 'birthday_within_days'?: int|null, 'consent'?: bool|null, 'seen_within_days'?: int|null, 'not_messaged_days'?: int|null, 'site_id'?: string|null, 'ordered_within_days'?: int|null, 'not_ordered_days'?: int|null, 'orders_at_least'?: int|null, 'orders_at_most'?: int|null, 'spent_at_least'?: string|null}} $body
     * @return array{'id': string, 'name': string, 'filters': array<string, mixed>, 'created_at': string, 'changed_at': string}
     */
    public function postAudiences(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/audiences", self::withObjects($body, ["filters"]), [], $options);
    }

    /**
     * Delete an audience: DELETE /audiences/{audience_id}
     *
     * @return array{}
     */
    public function deleteAudiencesByAudienceId(string|int $audience_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/audiences/" . rawurlencode((string) $audience_id), null, [], $options);
    }

    /**
     * Get an audience: GET /audiences/{audience_id}
     *
     * @return array{'id': string, 'name': string, 'filters': array<string, mixed>, 'created_at': string, 'changed_at': string}
     */
    public function getAudiencesByAudienceId(string|int $audience_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/audiences/" . rawurlencode((string) $audience_id), null, [], $options);
    }

    /**
     * Update an audience: PATCH /audiences/{audience_id}
     *
     * @param array{'name'?: string|null, 'filters'?: array{'tags'?: list<string>|null, 'without_tags'?: list<string>|null, 'languages'?: list<string>|null, 'birthday_within_days'?: int|null, 'consent'?: bool|null, 'seen_within_days'?: int|null, 'not_messaged_days'?: int|null, 'site_id'?: string|null, 'ordered_within_days'?: int|null, 'not_ordered_days'?: int|null, 'orders_at_least'?: int|null, 'orders_at_most'?: int|null, 'spent_at_least'?: string|null}|null} $body
     * @return array{'id': string, 'name': string, 'filters': array<string, mixed>, 'created_at': string, 'changed_at': string}
     */
    public function patchAudiencesByAudienceId(string|int $audience_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/audiences/" . rawurlencode((string) $audience_id), self::withObjects($body, ["filters"]), [], $options);
    }

    /**
     * List automations: GET /automations
     *
     * @param array{limit?: mixed, after?: mixed} $query
     * @return array{'data': list<array{'id': string, 'recipe': string, 'trigger': string, 'name': string, 'enabled': bool, 'connection_id': string|null, 'instance_id': int|null, 'delay_minutes': int, 'conditions': array<string, mixed>, 'message': string, 'template': array<string, mixed>|null, 'card': array<string, mixed>|null, 'marketing': bool, 'created_at': string, 'changed_at': string}>, 'next': string|null}
     */
    public function getAutomations(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/automations", null, $query, $options);
    }

    /**
     * Get an automation: GET /automations/{automation_id}
     *
     * @return array{'id': string, 'recipe': string, 'trigger': string, 'name': string, 'enabled': bool, 'connection_id': string|null, 'instance_id': int|null, 'delay_minutes': int, 'conditions': array<string, mixed>, 'message': string, 'template': array<string, mixed>|null, 'card': array<string, mixed>|null, 'marketing': bool, 'created_at': string, 'changed_at': string}
     */
    public function getAutomationsByAutomationId(string|int $automation_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/automations/" . rawurlencode((string) $automation_id), null, [], $options);
    }

    /**
     * List the runs of an automation: GET /automations/{automation_id}/runs
     *
     * @param array{limit?: mixed, after?: mixed, state?: mixed} $query
     * @return array{'data': list<array{'id': string, 'connection_id': string, 'event': string|null, 'cause': string, 'state': string, 'because': string, 'phone': string, 'message_id': string|null, 'message_status_code': string|null, 'due_at': string|null, 'created_at': string, 'ended_at': string|null}>, 'next': string|null}
     */
    public function getAutomationsByAutomationIdRuns(string|int $automation_id, array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/automations/" . rawurlencode((string) $automation_id) . "/runs", null, $query, $options);
    }

    /**
     * List campaigns: GET /campaigns
     *
     * @param array{limit?: mixed, after?: mixed, state?: mixed} $query
     * @return array{'data': list<array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}>, 'next': string|null}
     */
    public function getCampaigns(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/campaigns", null, $query, $options);
    }

    /**
     * Make a campaign: POST /campaigns
     *
     * @param array{'name'?: string|null, 'audience_id'?: string|null, 'filters'?: array{'tags'?: list<string>|null, 'without_tags'?: list<string>|null, 'languages'?: list<string>|null, 'birthday_within_days'?: int|null, 'consent'?: bool|null, 'seen_within_days'?: int|null, 'not_messaged_days'?: int|null, 'site_id'?: string|null, 'ordered_within_days'?: int|null, 'not_ordered_days'?: int|null, 'orders_at_least'?: int|null, 'orders_at_most'?: int|null, 'spent_at_least'?: string|null}|null, 'instance_id'?: int|null, 'message'?: string|null, 'card'?: array{'kind': string, 'buttons'?: list<string>, 'list_button'?: string, 'rows'?: list<string>, 'link_text'?: string, 'link_url'?: string}|null, 'template'?: array{'name': string, 'language': string, 'parameters'?: list<string>, 'header'?: string|null, 'header_url'?: string|null, 'buttons'?: list<string|null>, 'header_location'?: array{'latitude': float, 'longitude': float, 'name': string, 'address': string}|null}|null, 'gift'?: string|null, 'quiet_hours'?: array{'since': string, 'until': string}|null, 'rest_days'?: int|null, 'follow_days'?: int|null, 'holdout_percent'?: int|null, 'weight'?: int|null, 'variants'?: list<array{'weight'?: int, 'message'?: string, 'template'?: array{'name': string, 'language': string, 'parameters'?: list<string>, 'header'?: string|null, 'header_url'?: string|null, 'buttons'?: list<string|null>, 'header_location'?: array<string, mixed>|null}|null}>|null, 'stand_in'?: array{'name': string, 'language': string, 'parameters'?: list<string>, 'header'?: string|null, 'header_url'?: string|null, 'buttons'?: list<string|null>, 'header_location'?: array{'latitude': float, 'longitude': float, 'name': string, 'address': string}|null}|null, 'count_clicks'?: bool|null} $body
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function postCampaigns(array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/campaigns", self::withObjects($body, ["filters", "card", "template", "quiet_hours", "stand_in"]), [], $options);
    }

    /**
     * Delete a draft: DELETE /campaigns/{campaign_id}
     *
     * @return array{}
     */
    public function deleteCampaignsByCampaignId(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/campaigns/" . rawurlencode((string) $campaign_id), null, [], $options);
    }

    /**
     * Get a campaign: GET /campaigns/{campaign_id}
     *
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function getCampaignsByCampaignId(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/campaigns/" . rawurlencode((string) $campaign_id), null, [], $options);
    }

    /**
     * Update a campaign: PATCH /campaigns/{campaign_id}
     *
     * @param array{'name'?: string|null, 'audience_id'?: string|null, 'filters'?: array{'tags'?: list<string>|null, 'without_tags'?: list<string>|null, 'languages'?: list<string>|null, 'birthday_within_days'?: int|null, 'consent'?: bool|null, 'seen_within_days'?: int|null, 'not_messaged_days'?: int|null, 'site_id'?: string|null, 'ordered_within_days'?: int|null, 'not_ordered_days'?: int|null, 'orders_at_least'?: int|null, 'orders_at_most'?: int|null, 'spent_at_least'?: string|null}|null, 'instance_id'?: int|null, 'message'?: string|null, 'card'?: array{'kind': string, 'buttons'?: list<string>, 'list_button'?: string, 'rows'?: list<string>, 'link_text'?: string, 'link_url'?: string}|null, 'template'?: array{'name': string, 'language': string, 'parameters'?: list<string>, 'header'?: string|null, 'header_url'?: string|null, 'buttons'?: list<string|null>, 'header_location'?: array{'latitude': float, 'longitude': float, 'name': string, 'address': string}|null}|null, 'gift'?: string|null, 'quiet_hours'?: array{'since': string, 'until': string}|null, 'rest_days'?: int|null, 'follow_days'?: int|null, 'holdout_percent'?: int|null, 'weight'?: int|null, 'variants'?: list<array{'weight'?: int, 'message'?: string, 'template'?: array{'name': string, 'language': string, 'parameters'?: list<string>, 'header'?: string|null, 'header_url'?: string|null, 'buttons'?: list<string|null>, 'header_location'?: array<string, mixed>|null}|null}>|null, 'stand_in'?: array{'name': string, 'language': string, 'parameters'?: list<string>, 'header'?: string|null, 'header_url'?: string|null, 'buttons'?: list<string|null>, 'header_location'?: array{'latitude': float, 'longitude': float, 'name': string, 'address': string}|null}|null, 'count_clicks'?: bool|null} $body
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function patchCampaignsByCampaignId(string|int $campaign_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/campaigns/" . rawurlencode((string) $campaign_id), self::withObjects($body, ["filters", "card", "template", "quiet_hours", "stand_in"]), [], $options);
    }

    /**
     * Preview a campaign: POST /campaigns/{campaign_id}/dry-run
     *
     * @return array{'people': int, 'recipients': int, 'holdout': int, 'left_out': array<string, mixed>, 'cost_usd': float, 'seconds': int, 'days': int, 'recipient_limit': int|null, 'asleep': int, 'previews': list<array{'name': string, 'phone': string, 'message': string, 'header': string, 'header_media': string, 'footer': string, 'buttons': list<array{'text': string, 'url': string}>, 'choices': list<string>}>, 'warnings': list<string>, 'problem': string|null}
     */
    public function postCampaignsByCampaignIdDryRun(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/campaigns/" . rawurlencode((string) $campaign_id) . "/dry-run", null, [], $options);
    }

    /**
     * Get the extra orders of a campaign: GET /campaigns/{campaign_id}/effect
     *
     * @return array{'campaign_id': string, 'holdout_percent': int, 'follow_days': int, 'currency': string, 'groups': list<array{'variant': string, 'people': int, 'sent': int, 'clicked': int, 'link_clicks': int, 'buyers': int, 'conversion_percent': float, 'orders': int, 'spent': string, 'cost_usd': float}>, 'comparisons': list<array{'variant': string, 'people': int, 'extra_orders': int, 'extra_orders_low': int, 'extra_orders_high': int, 'extra_spent': string, 'extra_spent_low': string, 'extra_spent_high': string, 'cost_usd': float, 'verdict': string}>}
     */
    public function getCampaignsByCampaignIdEffect(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/campaigns/" . rawurlencode((string) $campaign_id) . "/effect", null, [], $options);
    }

    /**
     * Pause it: POST /campaigns/{campaign_id}/pause
     *
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function postCampaignsByCampaignIdPause(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/campaigns/" . rawurlencode((string) $campaign_id) . "/pause", null, [], $options);
    }

    /**
     * List the recipients of a campaign: GET /campaigns/{campaign_id}/results
     *
     * @param array{limit?: mixed, after?: mixed, state?: mixed} $query
     * @return array{'data': list<array{'contact_id': string, 'name': string, 'phone': string, 'state': string, 'reason': string, 'variant': string, 'clicked_at': string|null, 'message_id': string|null, 'coupon': string, 'cost_usd': float, 'handed_at': string|null, 'replied_at': string|null, 'tapped': string, 'tapped_at': string|null, 'opted_out_at': string|null, 'orders': int, 'spent': string}>, 'next': string|null}
     */
    public function getCampaignsByCampaignIdResults(string|int $campaign_id, array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/campaigns/" . rawurlencode((string) $campaign_id) . "/results", null, $query, $options);
    }

    /**
     * Continue: POST /campaigns/{campaign_id}/resume
     *
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function postCampaignsByCampaignIdResume(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/campaigns/" . rawurlencode((string) $campaign_id) . "/resume", null, [], $options);
    }

    /**
     * Start it, now or later: POST /campaigns/{campaign_id}/start
     *
     * @param array{'at'?: string|null} $body
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function postCampaignsByCampaignIdStart(string|int $campaign_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/campaigns/" . rawurlencode((string) $campaign_id) . "/start", $body, [], $options);
    }

    /**
     * Stop it for good: POST /campaigns/{campaign_id}/stop
     *
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function postCampaignsByCampaignIdStop(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/campaigns/" . rawurlencode((string) $campaign_id) . "/stop", null, [], $options);
    }

    /**
     * Back to a draft: POST /campaigns/{campaign_id}/unschedule
     *
     * @return array{'id': string, 'name': string, 'state': string, 'because': string, 'audience_id': string|null, 'filters': array<string, mixed>, 'instance_id': int|null, 'message': string, 'card': array<string, mixed>|null, 'template': array<string, mixed>|null, 'gift': string|null, 'quiet_hours': array<string, mixed>|null, 'rest_days': int, 'follow_days': int, 'holdout_percent': int, 'weight': int, 'variants': list<array<string, mixed>>, 'stand_in': array<string, mixed>|null, 'replaced': list<string>, 'count_clicks': bool, 'test': bool, 'results': array{'people': int, 'recipients': int, 'holdout': int, 'clicked': int, 'link_clicks': int, 'visited': int, 'carts': int, 'link_orders': int, 'link_spent': string, 'waiting': int, 'sent': int, 'delivered': int, 'read': int, 'replied': int, 'tapped': int, 'failed': int, 'opted_out': int, 'left_out': int, 'stopped': int, 'ordered': int, 'orders': int, 'spent': string, 'currency': string, 'cost_usd': float, 'reasons': array<string, mixed>, 'causes': array<string, mixed>, 'taps': array<string, mixed>}, 'scheduled_at': string|null, 'started_at': string|null, 'finished_at': string|null, 'created_at': string, 'changed_at': string}
     */
    public function postCampaignsByCampaignIdUnschedule(string|int $campaign_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/campaigns/" . rawurlencode((string) $campaign_id) . "/unschedule", null, [], $options);
    }

    /**
     * List connections: GET /connections
     *
     * @return array{'data': list<array{'id': string, 'kind': string, 'name': string, 'enabled': bool, 'state': string, 'refused': int, 'first_event_at': string|null, 'last_event_at': string|null, 'created_at': string}>, 'next': null}
     */
    public function getConnections(array $options = []): array
    {
        return $this->transport()->call("GET", "/connections", null, [], $options);
    }

    /**
     * Get a connection: GET /connections/{connection_id}
     *
     * @return array{'id': string, 'kind': string, 'name': string, 'enabled': bool, 'state': string, 'refused': int, 'first_event_at': string|null, 'last_event_at': string|null, 'created_at': string}
     */
    public function getConnectionsByConnectionId(string|int $connection_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/connections/" . rawurlencode((string) $connection_id), null, [], $options);
    }

    /**
     * List and find contacts: GET /contacts
     *
     * @param array{limit?: mixed, after?: mixed, search?: mixed, tag?: mixed, opted_out?: mixed, blocked?: mixed, consent?: mixed, has_phone?: mixed, language?: mixed, seen_since?: mixed} $query
     * @return array{'data': list<array{'id': string, 'name': string, 'profile_name': string, 'username': string|null, 'phone': string|null, 'identities': list<array{'kind': string, 'value': string}>, 'language': string, 'tags': list<string>, 'birthday': string|null, 'fields': array<string, mixed>, 'consent': array<string, mixed>|null, 'opted_out': bool, 'opted_out_at': string|null, 'blocked': bool, 'first_seen_at': string|null, 'last_seen_at': string|null, 'orders': int, 'visits': int, 'spent': float, 'warnings'?: list<string>}>, 'next': string|null}
     */
    public function getContacts(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts", null, $query, $options);
    }

    /**
     * Add a contact: POST /contacts
     *
     * @param array{'name'?: string|null, 'phone'?: string|null, 'language'?: string|null, 'tags'?: list<string>|null, 'birthday'?: string|null, 'fields'?: array<string, mixed>|null, 'opted_out'?: bool|null, 'blocked'?: bool|null, 'consent'?: array{'source': string, 'at'?: string|null}|null} $body
     * @return array{'id': string, 'name': string, 'profile_name': string, 'username': string|null, 'phone': string|null, 'identities': list<array{'kind': string, 'value': string}>, 'language': string, 'tags': list<string>, 'birthday': string|null, 'fields': array<string, mixed>, 'consent': array<string, mixed>|null, 'opted_out': bool, 'opted_out_at': string|null, 'blocked': bool, 'first_seen_at': string|null, 'last_seen_at': string|null, 'orders': int, 'visits': int, 'spent': float, 'warnings'?: list<string>}
     */
    public function postContacts(array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/contacts", self::withObjects($body, ["fields", "consent"]), [], $options);
    }

    /**
     * Get the status of an erasure: GET /contacts/erasures/{erasure_id}
     *
     * @return array{'id': string, 'contact_id': string, 'status_code': string, 'step': string, 'erased': int, 'asked_at': string, 'done_at': string|null}
     */
    public function getContactsErasuresByErasureId(string|int $erasure_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts/erasures/" . rawurlencode((string) $erasure_id), null, [], $options);
    }

    /**
     * List custom contact fields: GET /contacts/fields
     *
     * @return array{'data': list<array{'id': string, 'name': string, 'kind': string, 'choices': list<string>}>, 'next': null}
     */
    public function getContactsFields(array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts/fields", null, [], $options);
    }

    /**
     * Import contacts: POST /contacts/import
     *
     * @param array{'contacts'?: list<array{'phone'?: string|null, 'network_id'?: string|null, 'username'?: string|null, 'name'?: string|null, 'language'?: string|null, 'tags'?: list<string>|null, 'birthday'?: string|null, 'note'?: string|null, 'consent'?: bool|null, 'consent_source'?: string|null}>|null, 'csv'?: string|null, 'country'?: string|null, 'tags'?: list<string>|null, 'consent_source'?: string|null, 'update'?: bool, 'dry_run'?: bool} $body
     * @return array{'id': string, 'status_code': string, 'rows': int, 'position': int, 'created': int, 'updated': int, 'repeated': int, 'rejected': int, 'consent_given': int, 'consent_refused': int, 'consent_unclear': int, 'error': string|null, 'warnings'?: list<string>}
     */
    public function postContactsImport(array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/contacts/import", $body, [], $options);
    }

    /**
     * Get the status of an import: GET /contacts/import/{import_id}
     *
     * @return array{'id': string, 'status_code': string, 'rows': int, 'position': int, 'created': int, 'updated': int, 'repeated': int, 'rejected': int, 'consent_given': int, 'consent_refused': int, 'consent_unclear': int, 'error': string|null, 'warnings'?: list<string>}
     */
    public function getContactsImportByImportId(string|int $import_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts/import/" . rawurlencode((string) $import_id), null, [], $options);
    }

    /**
     * List the rejected rows of an import: GET /contacts/import/{import_id}/rejects
     *
     * @param array{limit?: mixed, after?: mixed} $query
     * @return array{'data': list<array{'line': int, 'field': string, 'message': string, 'cells': list<string>}>, 'next': string|null}
     */
    public function getContactsImportByImportIdRejects(string|int $import_id, array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts/import/" . rawurlencode((string) $import_id) . "/rejects", null, $query, $options);
    }

    /**
     * Start an import after a dry run: POST /contacts/import/{import_id}/start
     *
     * @return array{'id': string, 'status_code': string, 'rows': int, 'position': int, 'created': int, 'updated': int, 'repeated': int, 'rejected': int, 'consent_given': int, 'consent_refused': int, 'consent_unclear': int, 'error': string|null, 'warnings'?: list<string>}
     */
    public function postContactsImportByImportIdStart(string|int $import_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/contacts/import/" . rawurlencode((string) $import_id) . "/start", null, [], $options);
    }

    /**
     * Tags in use: GET /contacts/tags
     *
     * @return array{'data': list<string>, 'next': null}
     */
    public function getContactsTags(array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts/tags", null, [], $options);
    }

    /**
     * Delete a contact: DELETE /contacts/{contact_id}
     *
     * @return array{}
     */
    public function deleteContactsByContactId(string|int $contact_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/contacts/" . rawurlencode((string) $contact_id), null, [], $options);
    }

    /**
     * One contact: GET /contacts/{contact_id}
     *
     * @return array{'id': string, 'name': string, 'profile_name': string, 'username': string|null, 'phone': string|null, 'identities': list<array{'kind': string, 'value': string}>, 'language': string, 'tags': list<string>, 'birthday': string|null, 'fields': array<string, mixed>, 'consent': array<string, mixed>|null, 'opted_out': bool, 'opted_out_at': string|null, 'blocked': bool, 'first_seen_at': string|null, 'last_seen_at': string|null, 'orders': int, 'visits': int, 'spent': float, 'warnings'?: list<string>}
     */
    public function getContactsByContactId(string|int $contact_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts/" . rawurlencode((string) $contact_id), null, [], $options);
    }

    /**
     * Update a contact: PATCH /contacts/{contact_id}
     *
     * @param array{'name'?: string|null, 'phone'?: string|null, 'language'?: string|null, 'tags'?: list<string>|null, 'birthday'?: string|null, 'fields'?: array<string, mixed>|null, 'opted_out'?: bool|null, 'blocked'?: bool|null, 'consent'?: array{'source': string, 'at'?: string|null}|null} $body
     * @return array{'id': string, 'name': string, 'profile_name': string, 'username': string|null, 'phone': string|null, 'identities': list<array{'kind': string, 'value': string}>, 'language': string, 'tags': list<string>, 'birthday': string|null, 'fields': array<string, mixed>, 'consent': array<string, mixed>|null, 'opted_out': bool, 'opted_out_at': string|null, 'blocked': bool, 'first_seen_at': string|null, 'last_seen_at': string|null, 'orders': int, 'visits': int, 'spent': float, 'warnings'?: list<string>}
     */
    public function patchContactsByContactId(string|int $contact_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/contacts/" . rawurlencode((string) $contact_id), self::withObjects($body, ["fields", "consent"]), [], $options);
    }

    /**
     * Erase a contact permanently: POST /contacts/{contact_id}/erase
     *
     * @return array{'id': string, 'contact_id': string, 'status_code': string, 'step': string, 'erased': int, 'asked_at': string, 'done_at': string|null}
     */
    public function postContactsByContactIdErase(string|int $contact_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/contacts/" . rawurlencode((string) $contact_id) . "/erase", null, [], $options);
    }

    /**
     * Merge two contacts: POST /contacts/{contact_id}/merge
     *
     * @param array{'other_id': string} $body
     * @return array{'id': string, 'name': string, 'profile_name': string, 'username': string|null, 'phone': string|null, 'identities': list<array{'kind': string, 'value': string}>, 'language': string, 'tags': list<string>, 'birthday': string|null, 'fields': array<string, mixed>, 'consent': array<string, mixed>|null, 'opted_out': bool, 'opted_out_at': string|null, 'blocked': bool, 'first_seen_at': string|null, 'last_seen_at': string|null, 'orders': int, 'visits': int, 'spent': float, 'warnings'?: list<string>}
     */
    public function postContactsByContactIdMerge(string|int $contact_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/contacts/" . rawurlencode((string) $contact_id) . "/merge", $body, [], $options);
    }

    /**
     * Send a message to a contact: POST /contacts/{contact_id}/messages
     *
     * @param array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'text': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'media_id'?: string|null, 'url'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'filename'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'latitude': float, 'longitude': float, 'name'?: string|null, 'address'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'contacts': list<array{'name': string, 'first_name'?: string|null, 'middle_name'?: string|null, 'last_name'?: string|null, 'prefix'?: string|null, 'suffix'?: string|null, 'phones'?: list<array{'phone': string, 'type'?: string|null, 'wa_id'?: string|null}>, 'emails'?: list<array{'email': string, 'type'?: string|null}>, 'urls'?: list<array{'url': string, 'type'?: string|null}>, 'addresses'?: list<array{'street'?: string|null, 'city'?: string|null, 'state'?: string|null, 'zip'?: string|null, 'country'?: string|null, 'country_code'?: string|null, 'type'?: string|null}>, 'company'?: string|null, 'department'?: string|null, 'title'?: string|null, 'birthday'?: string|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'message_id': string, 'emoji': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'buttons': list<array{'id': string, 'title': string}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: string|null, 'footer'?: string|null, 'button': string, 'sections': list<array{'title'?: string|null, 'rows': list<array{'id': string, 'title': string, 'description'?: string|null}>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'url': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'footer'?: string|null, 'product_id'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'catalog_id': string, 'product_id': string, 'body'?: string|null, 'footer'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'catalog_id': string, 'header': string, 'body': string, 'footer'?: string|null, 'sections': list<array{'title'?: string|null, 'product_ids': list<string>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'cards': list<array{'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'body'?: string|null, 'buttons'?: list<array{'id': string, 'title': string}>|null, 'link'?: array{'text': string, 'url': string}|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'flow_id'?: string|null, 'flow_name'?: string|null, 'token'?: string|null, 'action'?: string, 'screen'?: string|null, 'data'?: array<string, mixed>|null, 'mode'?: string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'image': array{'media_id'?: string|null, 'url'?: string|null}}|null, 'footer'?: string|null, 'goods'?: string, 'currency': string, 'items': list<array{'name': string, 'quantity'?: int, 'amount': float|string, 'sale_amount'?: float|string|null, 'product_id'?: string|null}>, 'tax'?: array{'amount': float|string, 'description'?: string|null}|null, 'shipping'?: array{'amount': float|string, 'description'?: string|null}|null, 'discount'?: array{'amount': float|string, 'description'?: string|null, 'program'?: string|null}|null, 'total'?: float|string|null, 'expiration'?: array{'at': string, 'text': string}|null, 'payment_type'?: string|null, 'payment_configuration'?: string|null, 'payment_settings'?: list<array<string, mixed>>|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'status': string, 'description'?: string|null, 'body'?: string|null, 'type': string} $body
     * @return array{'status': string, 'message_id': string|null, 'status_code': string, 'cost_usd': float, 'id': string, 'instance_id': int, 'phone': string, 'reference': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postContactsByContactIdMessages(string|int $contact_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/contacts/" . rawurlencode((string) $contact_id) . "/messages", $body, [], $options);
    }

    /**
     * Notes: GET /contacts/{contact_id}/notes
     *
     * @return array{'data': list<array{'id': string, 'text': string, 'author': string, 'at': string}>, 'next': null}
     */
    public function getContactsByContactIdNotes(string|int $contact_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/contacts/" . rawurlencode((string) $contact_id) . "/notes", null, [], $options);
    }

    /**
     * Add a note: POST /contacts/{contact_id}/notes
     *
     * @param array{'text': string} $body
     * @return array{'id': string, 'text': string, 'author': string, 'at': string}
     */
    public function postContactsByContactIdNotes(string|int $contact_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/contacts/" . rawurlencode((string) $contact_id) . "/notes", $body, [], $options);
    }

    /**
     * List conversations: GET /conversations
     *
     * @param array{limit?: mixed, after?: mixed, view?: mixed, label?: mixed, instance_id?: mixed, q?: mixed} $query
     * @return array{'data': list<array{'id': string, 'instance_id': int, 'contact_id': string, 'name': string, 'username': string|null, 'phone': string|null, 'state': string, 'unread': int, 'assigned_to': string|null, 'window_until': string|null, 'handled_by': string, 'labels': list<string>, 'snoozed_until': string|null, 'last_at': string, 'last_message': array{'id': string, 'direction': string, 'type': string, 'text': string, 'status_code': string}}>, 'next': string|null}
     */
    public function getConversations(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/conversations", null, $query, $options);
    }

    /**
     * Get a conversation: GET /conversations/{conversation_id}
     *
     * @return array{'id': string, 'instance_id': int, 'contact_id': string, 'name': string, 'username': string|null, 'phone': string|null, 'state': string, 'unread': int, 'assigned_to': string|null, 'window_until': string|null, 'handled_by': string, 'labels': list<string>, 'snoozed_until': string|null, 'last_at': string, 'last_message': array{'id': string, 'direction': string, 'type': string, 'text': string, 'status_code': string}}
     */
    public function getConversationsByConversationId(string|int $conversation_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/conversations/" . rawurlencode((string) $conversation_id), null, [], $options);
    }

    /**
     * Update a conversation: PATCH /conversations/{conversation_id}
     *
     * @param array{'state'?: string|null, 'assigned_to'?: string|null, 'unread'?: int|null, 'labels'?: list<string>|null, 'snoozed_until'?: string|null} $body
     * @return array{'id': string, 'instance_id': int, 'contact_id': string, 'name': string, 'username': string|null, 'phone': string|null, 'state': string, 'unread': int, 'assigned_to': string|null, 'window_until': string|null, 'handled_by': string, 'labels': list<string>, 'snoozed_until': string|null, 'last_at': string, 'last_message': array{'id': string, 'direction': string, 'type': string, 'text': string, 'status_code': string}}
     */
    public function patchConversationsByConversationId(string|int $conversation_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/conversations/" . rawurlencode((string) $conversation_id), $body, [], $options);
    }

    /**
     * List the messages of a conversation: GET /conversations/{conversation_id}/messages
     *
     * @param array{limit?: mixed, after?: mixed} $query
     * @return array{'data': list<array{'id': string, 'message_id': string|null, 'direction': string, 'instance_id': int, 'phone': string, 'type': string, 'text': string, 'status_code': string, 'reference': string|null, 'cost_usd': float, 'free_reason': string|null, 'test': bool, 'created_at': string, 'error': array<string, mixed>|null, 'media': array{'mime_type': string|null, 'url': string|null, 'size': int|null, 'sha256': string|null, 'caption': string|null, 'filename': string|null}|null, 'from_kind': string, 'location': array<string, mixed>|null, 'contacts': array<string, mixed>|null, 'order': array<string, mixed>|null, 'button': array<string, mixed>|null, 'reaction': array<string, mixed>|null, 'interactive': array<string, mixed>|null, 'reply_to': string|null, 'forwarded': bool|null, 'referral': array<string, mixed>|null, 'referred_product': array<string, mixed>|null, 'handled_by': string|null, 'sent_from': string|null, 'edited_at': string|null, 'deleted_at': string|null, 'earlier_texts': list<string>}>, 'next': string|null}
     */
    public function getConversationsByConversationIdMessages(string|int $conversation_id, array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/conversations/" . rawurlencode((string) $conversation_id) . "/messages", null, $query, $options);
    }

    /**
     * Send a message in a conversation: POST /conversations/{conversation_id}/messages
     *
     * @param array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'text': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'media_id'?: string|null, 'url'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'filename'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'latitude': float, 'longitude': float, 'name'?: string|null, 'address'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'contacts': list<array{'name': string, 'first_name'?: string|null, 'middle_name'?: string|null, 'last_name'?: string|null, 'prefix'?: string|null, 'suffix'?: string|null, 'phones'?: list<array{'phone': string, 'type'?: string|null, 'wa_id'?: string|null}>, 'emails'?: list<array{'email': string, 'type'?: string|null}>, 'urls'?: list<array{'url': string, 'type'?: string|null}>, 'addresses'?: list<array{'street'?: string|null, 'city'?: string|null, 'state'?: string|null, 'zip'?: string|null, 'country'?: string|null, 'country_code'?: string|null, 'type'?: string|null}>, 'company'?: string|null, 'department'?: string|null, 'title'?: string|null, 'birthday'?: string|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'message_id': string, 'emoji': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'buttons': list<array{'id': string, 'title': string}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: string|null, 'footer'?: string|null, 'button': string, 'sections': list<array{'title'?: string|null, 'rows': list<array{'id': string, 'title': string, 'description'?: string|null}>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'url': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'footer'?: string|null, 'product_id'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'catalog_id': string, 'product_id': string, 'body'?: string|null, 'footer'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'catalog_id': string, 'header': string, 'body': string, 'footer'?: string|null, 'sections': list<array{'title'?: string|null, 'product_ids': list<string>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'cards': list<array{'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'body'?: string|null, 'buttons'?: list<array{'id': string, 'title': string}>|null, 'link'?: array{'text': string, 'url': string}|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'flow_id'?: string|null, 'flow_name'?: string|null, 'token'?: string|null, 'action'?: string, 'screen'?: string|null, 'data'?: array<string, mixed>|null, 'mode'?: string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'body': string, 'header'?: array{'image': array{'media_id'?: string|null, 'url'?: string|null}}|null, 'footer'?: string|null, 'goods'?: string, 'currency': string, 'items': list<array{'name': string, 'quantity'?: int, 'amount': float|string, 'sale_amount'?: float|string|null, 'product_id'?: string|null}>, 'tax'?: array{'amount': float|string, 'description'?: string|null}|null, 'shipping'?: array{'amount': float|string, 'description'?: string|null}|null, 'discount'?: array{'amount': float|string, 'description'?: string|null, 'program'?: string|null}|null, 'total'?: float|string|null, 'expiration'?: array{'at': string, 'text': string}|null, 'payment_type'?: string|null, 'payment_configuration'?: string|null, 'payment_settings'?: list<array<string, mixed>>|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'status': string, 'description'?: string|null, 'body'?: string|null, 'type': string} $body
     * @return array{'status': string, 'message_id': string|null, 'status_code': string, 'cost_usd': float, 'id': string, 'instance_id': int, 'phone': string, 'reference': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postConversationsByConversationIdMessages(string|int $conversation_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/conversations/" . rawurlencode((string) $conversation_id) . "/messages", $body, [], $options);
    }

    /**
     * Mark a conversation as read: POST /conversations/{conversation_id}/read
     *
     * @param array{'typing'?: bool} $body
     * @return array{'id': string, 'instance_id': int, 'contact_id': string, 'name': string, 'username': string|null, 'phone': string|null, 'state': string, 'unread': int, 'assigned_to': string|null, 'window_until': string|null, 'handled_by': string, 'labels': list<string>, 'snoozed_until': string|null, 'last_at': string, 'last_message': array{'id': string, 'direction': string, 'type': string, 'text': string, 'status_code': string}}
     */
    public function postConversationsByConversationIdRead(string|int $conversation_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/conversations/" . rawurlencode((string) $conversation_id) . "/read", $body, [], $options);
    }

    /**
     * A restaurant's couriers: GET /couriers
     *
     * @param array{site_id?: mixed} $query
     * @return array{'data': list<array{'id': string, 'site_id': string, 'name': string, 'phone': string, 'language': string, 'active': bool, 'created_at': string}>, 'next': null}
     */
    public function getCouriers(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/couriers", null, $query, $options);
    }

    /**
     * Add courier: POST /couriers
     *
     * @param array{'site_id': string, 'name': string, 'phone': string, 'language'?: string} $body
     * @return array{'id': string, 'site_id': string, 'name': string, 'phone': string, 'language': string, 'active': bool, 'created_at': string}
     */
    public function postCouriers(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/couriers", $body, [], $options);
    }

    /**
     * Delete a courier: DELETE /couriers/{courier_id}
     *
     * @return array{}
     */
    public function deleteCouriersByCourierId(string|int $courier_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/couriers/" . rawurlencode((string) $courier_id), null, [], $options);
    }

    /**
     * One courier: GET /couriers/{courier_id}
     *
     * @return array{'id': string, 'site_id': string, 'name': string, 'phone': string, 'language': string, 'active': bool, 'created_at': string}
     */
    public function getCouriersByCourierId(string|int $courier_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/couriers/" . rawurlencode((string) $courier_id), null, [], $options);
    }

    /**
     * Update a courier: PATCH /couriers/{courier_id}
     *
     * @param array{'name'?: string|null, 'phone'?: string|null, 'language'?: string|null, 'active'?: bool|null} $body
     * @return array{'id': string, 'site_id': string, 'name': string, 'phone': string, 'language': string, 'active': bool, 'created_at': string}
     */
    public function patchCouriersByCourierId(string|int $courier_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/couriers/" . rawurlencode((string) $courier_id), $body, [], $options);
    }

    /**
     * Create a link to a courier's list: POST /couriers/{courier_id}/link
     *
     * @return array{'url': string, 'expires_at': string}
     */
    public function postCouriersByCourierIdLink(string|int $courier_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/couriers/" . rawurlencode((string) $courier_id) . "/link", null, [], $options);
    }

    /**
     * List delivery zones: GET /delivery-zones
     *
     * @param array{site_id?: mixed} $query
     * @return array{'data': list<array{'id': string, 'site_id': string, 'name': string, 'kind': string, 'radius_m': int|null, 'corners': list<list<float>>, 'fee': float, 'minimum': float}>, 'next': null}
     */
    public function getDeliveryZones(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/delivery-zones", null, $query, $options);
    }

    /**
     * Add a zone: POST /delivery-zones
     *
     * @param array{'name': string, 'kind'?: string, 'radius_m'?: int|null, 'corners'?: list<list<float>>|null, 'fee': float|string, 'minimum'?: float|string|null, 'site_id': string} $body
     * @return array{'id': string, 'site_id': string, 'name': string, 'kind': string, 'radius_m': int|null, 'corners': list<list<float>>, 'fee': float, 'minimum': float}
     */
    public function postDeliveryZones(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/delivery-zones", $body, [], $options);
    }

    /**
     * Find the delivery zone of a location: GET /delivery-zones/find
     *
     * @param array{site_id?: mixed, latitude?: mixed, longitude?: mixed} $query
     * @return array{'zone': array{'id': string, 'site_id': string, 'name': string, 'kind': string, 'radius_m': int|null, 'corners': list<list<float>>, 'fee': float, 'minimum': float}|null, 'route_url': string}
     */
    public function getDeliveryZonesFind(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/delivery-zones/find", null, $query, $options);
    }

    /**
     * Delete a delivery zone: DELETE /delivery-zones/{zone_id}
     *
     * @return array{}
     */
    public function deleteDeliveryZonesByZoneId(string|int $zone_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/delivery-zones/" . rawurlencode((string) $zone_id), null, [], $options);
    }

    /**
     * Update a delivery zone: PATCH /delivery-zones/{zone_id}
     *
     * @param array{'name'?: string|null, 'kind'?: string|null, 'radius_m'?: int|null, 'corners'?: list<list<float>>|null, 'fee'?: float|string|null, 'minimum'?: float|string|null} $body
     * @return array{'id': string, 'site_id': string, 'name': string, 'kind': string, 'radius_m': int|null, 'corners': list<list<float>>, 'fee': float, 'minimum': float}
     */
    public function patchDeliveryZonesByZoneId(string|int $zone_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/delivery-zones/" . rawurlencode((string) $zone_id), $body, [], $options);
    }

    /**
     * Pull events: GET /events
     *
     * @param array{after?: mixed, limit?: mixed, wait?: mixed} $query
     * @return array{'data': list<array{'event': string, 'event_id': string, 'occurred_at': string, 'sequence': int}>, 'next': string|null, 'last_sequence': int}
     */
    public function getEvents(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/events", null, $query, $options);
    }

    /**
     * List lines: GET /instances
     *
     * @return array{'data': list<array{'id': int, 'name': string, 'kind': string, 'network': string, 'phone': string, 'state': string, 'state_because': string, 'state_at': string, 'enabled': bool, 'is_default': bool, 'test': bool, 'messages_per_second': float, 'fallback_instance_id': int|null, 'created_at': string, 'can': array<string, mixed>, 'quality': string|null, 'recipient_limit': array{'per_day': int|null, 'used': int|null}|null, 'direct_send': string}>, 'next': null}
     */
    public function getInstances(array $options = []): array
    {
        return $this->transport()->call("GET", "/instances", null, [], $options);
    }

    /**
     * Add a line: POST /instances
     *
     * @param array{'kind'?: string, 'name': string, 'phone'?: string|null, 'phone_number_id'?: string|null, 'account_id'?: string|null, 'token'?: string|null, 'app_secret'?: string|null} $body
     * @return array{'id': int, 'name': string, 'kind': string, 'network': string, 'phone': string, 'state': string, 'state_because': string, 'state_at': string, 'enabled': bool, 'is_default': bool, 'test': bool, 'messages_per_second': float, 'fallback_instance_id': int|null, 'created_at': string, 'can': array<string, mixed>, 'quality': string|null, 'recipient_limit': array{'per_day': int|null, 'used': int|null}|null, 'direct_send': string, 'webhook': array{'callback_url': string, 'verify_token': string}|null, 'problems': list<array{'code': string, 'message': string}>}
     */
    public function postInstances(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/instances", $body, [], $options);
    }

    /**
     * Delete a line: DELETE /instances/{instance_id}
     *
     * @return array{}
     */
    public function deleteInstancesByInstanceId(string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/instances/" . rawurlencode((string) $instance_id), null, [], $options);
    }

    /**
     * Get a line and its health: GET /instances/{instance_id}
     *
     * @return array{'id': int, 'name': string, 'kind': string, 'network': string, 'phone': string, 'state': string, 'state_because': string, 'state_at': string, 'enabled': bool, 'is_default': bool, 'test': bool, 'messages_per_second': float, 'fallback_instance_id': int|null, 'created_at': string, 'can': array<string, mixed>, 'quality': string|null, 'recipient_limit': array{'per_day': int|null, 'used': int|null}|null, 'direct_send': string}
     */
    public function getInstancesByInstanceId(string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/instances/" . rawurlencode((string) $instance_id), null, [], $options);
    }

    /**
     * Change a line: PATCH /instances/{instance_id}
     *
     * @param array{'name'?: string|null, 'enabled'?: bool|null, 'account_id'?: string|null, 'token'?: string|null, 'app_secret'?: string|null, 'direct_send'?: string|null, 'fallback_instance_id'?: int|null} $body
     * @return array{'id': int, 'name': string, 'kind': string, 'network': string, 'phone': string, 'state': string, 'state_because': string, 'state_at': string, 'enabled': bool, 'is_default': bool, 'test': bool, 'messages_per_second': float, 'fallback_instance_id': int|null, 'created_at': string, 'can': array<string, mixed>, 'quality': string|null, 'recipient_limit': array{'per_day': int|null, 'used': int|null}|null, 'direct_send': string, 'webhook': array{'callback_url': string, 'verify_token': string}|null, 'problems': list<array{'code': string, 'message': string}>}
     */
    public function patchInstancesByInstanceId(string|int $instance_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/instances/" . rawurlencode((string) $instance_id), $body, [], $options);
    }

    /**
     * Check a cloud line with WhatsApp: POST /instances/{instance_id}/check
     *
     * @return array{'id': int, 'name': string, 'kind': string, 'network': string, 'phone': string, 'state': string, 'state_because': string, 'state_at': string, 'enabled': bool, 'is_default': bool, 'test': bool, 'messages_per_second': float, 'fallback_instance_id': int|null, 'created_at': string, 'can': array<string, mixed>, 'quality': string|null, 'recipient_limit': array{'per_day': int|null, 'used': int|null}|null, 'direct_send': string, 'webhook': array{'callback_url': string, 'verify_token': string}|null, 'problems': list<array{'code': string, 'message': string}>}
     */
    public function postInstancesByInstanceIdCheck(string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/instances/" . rawurlencode((string) $instance_id) . "/check", null, [], $options);
    }

    /**
     * Unlink the phone: POST /instances/{instance_id}/logout
     *
     * @return array{'instance_id': int, 'state': string, 'qr': string|null, 'code': string|null, 'expires_at': string|null, 'phone': string, 'because': string}
     */
    public function postInstancesByInstanceIdLogout(string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/instances/" . rawurlencode((string) $instance_id) . "/logout", null, [], $options);
    }

    /**
     * Get the pairing status: GET /instances/{instance_id}/pairing
     *
     * @return array{'instance_id': int, 'state': string, 'qr': string|null, 'code': string|null, 'expires_at': string|null, 'phone': string, 'because': string}
     */
    public function getInstancesByInstanceIdPairing(string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/instances/" . rawurlencode((string) $instance_id) . "/pairing", null, [], $options);
    }

    /**
     * Start linking a phone: POST /instances/{instance_id}/pairing
     *
     * @param array{'phone'?: string|null} $body
     * @return array{'instance_id': int, 'state': string, 'qr': string|null, 'code': string|null, 'expires_at': string|null, 'phone': string, 'because': string}
     */
    public function postInstancesByInstanceIdPairing(string|int $instance_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/instances/" . rawurlencode((string) $instance_id) . "/pairing", $body, [], $options);
    }

    /**
     * Get the current QR code: GET /instances/{instance_id}/qr
     *
     * @return array{'instance_id': int, 'state': string, 'qr': string|null, 'code': string|null, 'expires_at': string|null, 'phone': string, 'because': string}
     */
    public function getInstancesByInstanceIdQr(string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/instances/" . rawurlencode((string) $instance_id) . "/qr", null, [], $options);
    }

    /**
     * Reconnect a linked phone: POST /instances/{instance_id}/restart
     *
     * @return array{'instance_id': int, 'state': string, 'qr': string|null, 'code': string|null, 'expires_at': string|null, 'phone': string, 'because': string}
     */
    public function postInstancesByInstanceIdRestart(string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/instances/" . rawurlencode((string) $instance_id) . "/restart", null, [], $options);
    }

    /**
     * Get a run: GET /journey-runs/{run_id}
     *
     * @return array{'id': string, 'journey_id': string, 'version': int, 'contact_id': string, 'instance_id': int, 'test': bool, 'state': string, 'because': string, 'step': string, 'waits_for': string|null, 'due_at': string|null, 'started_at': string, 'ended_at': string|null, 'values': array<string, mixed>, 'steps': list<array{'visit': int, 'step': string, 'kind': string, 'note': string, 'answer': string, 'message_id': string|null, 'at': string}>}
     */
    public function getJourneyRunsByRunId(string|int $run_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/journey-runs/" . rawurlencode((string) $run_id), null, [], $options);
    }

    /**
     * Stop a run: POST /journey-runs/{run_id}/stop
     *
     * @return array{'id': string, 'journey_id': string, 'version': int, 'contact_id': string, 'instance_id': int, 'test': bool, 'state': string, 'because': string, 'step': string, 'waits_for': string|null, 'due_at': string|null, 'started_at': string, 'ended_at': string|null}
     */
    public function postJourneyRunsByRunIdStop(string|int $run_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/journey-runs/" . rawurlencode((string) $run_id) . "/stop", null, [], $options);
    }

    /**
     * List journeys: GET /journeys
     *
     * @param array{limit?: mixed, after?: mixed} $query
     * @return array{'data': list<array{'id': string, 'name': string, 'state': string, 'trigger': string|null, 'version': int, 'has_changes': bool, 'definition': array{'when'?: array<string, mixed>, 'line_id'?: int|null, 'hours'?: array<string, mixed>, 'steps'?: list<array<string, mixed>>}, 'created_at': string, 'changed_at': string}>, 'next': string|null}
     */
    public function getJourneys(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/journeys", null, $query, $options);
    }

    /**
     * Make a journey: POST /journeys
     *
     * @param array{'name': string, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}} $body
     * @return array{'id': string, 'name': string, 'state': string, 'trigger': string|null, 'version': int, 'has_changes': bool, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}, 'created_at': string, 'changed_at': string, 'problems': list<array{'step_id': string|null, 'code': string, 'message': string}>}
     */
    public function postJourneys(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/journeys", self::withObjects($body, ["definition"]), [], $options);
    }

    /**
     * Delete a journey: DELETE /journeys/{journey_id}
     *
     * @return array{}
     */
    public function deleteJourneysByJourneyId(string|int $journey_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/journeys/" . rawurlencode((string) $journey_id), null, [], $options);
    }

    /**
     * Get a journey: GET /journeys/{journey_id}
     *
     * @return array{'id': string, 'name': string, 'state': string, 'trigger': string|null, 'version': int, 'has_changes': bool, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}, 'created_at': string, 'changed_at': string, 'problems': list<array{'step_id': string|null, 'code': string, 'message': string}>}
     */
    public function getJourneysByJourneyId(string|int $journey_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/journeys/" . rawurlencode((string) $journey_id), null, [], $options);
    }

    /**
     * Change the draft of a journey: PUT /journeys/{journey_id}
     *
     * @param array{'name': string, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}} $body
     * @return array{'id': string, 'name': string, 'state': string, 'trigger': string|null, 'version': int, 'has_changes': bool, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}, 'created_at': string, 'changed_at': string, 'problems': list<array{'step_id': string|null, 'code': string, 'message': string}>}
     */
    public function putJourneysByJourneyId(string|int $journey_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PUT", "/journeys/" . rawurlencode((string) $journey_id), self::withObjects($body, ["definition"]), [], $options);
    }

    /**
     * Pause a journey: POST /journeys/{journey_id}/pause
     *
     * @return array{'id': string, 'name': string, 'state': string, 'trigger': string|null, 'version': int, 'has_changes': bool, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}, 'created_at': string, 'changed_at': string}
     */
    public function postJourneysByJourneyIdPause(string|int $journey_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/journeys/" . rawurlencode((string) $journey_id) . "/pause", null, [], $options);
    }

    /**
     * Publish the draft: POST /journeys/{journey_id}/publish
     *
     * @return array{'id': string, 'name': string, 'state': string, 'trigger': string|null, 'version': int, 'has_changes': bool, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}, 'created_at': string, 'changed_at': string}
     */
    public function postJourneysByJourneyIdPublish(string|int $journey_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/journeys/" . rawurlencode((string) $journey_id) . "/publish", null, [], $options);
    }

    /**
     * Start new runs again: POST /journeys/{journey_id}/resume
     *
     * @return array{'id': string, 'name': string, 'state': string, 'trigger': string|null, 'version': int, 'has_changes': bool, 'definition': array{'when'?: array{'kind'?: string, 'words'?: list<string>, 'ad'?: string, 'states'?: list<string>, 'tag'?: string, 'date'?: string, 'days'?: int, 'hour'?: int, 'connection_id'?: string}, 'line_id'?: int|null, 'hours'?: array{'days'?: list<int>, 'opens'?: string, 'closes'?: string}, 'steps'?: list<array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string, 'link_url'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'text'?: string, 'link_text'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'answer'?: string, 'text'?: string, 'list_button'?: string}|array{'id': string, 'next'?: string, 'choices'?: list<array<string, mixed>>, 'save_as'?: string, 'minutes'?: int, 'no_answer'?: string, 'kind': string, 'name'?: string, 'language'?: string, 'parameters'?: list<string>}|array{'id': string, 'next'?: string, 'kind': string, 'minutes'?: int}|array{'id': string, 'next'?: string, 'kind': string, 'what'?: string, 'name'?: string, 'value'?: string, 'then'?: string, 'otherwise'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'tag'?: string, 'remove'?: bool}|array{'id': string, 'next'?: string, 'kind': string, 'note'?: string, 'member'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'url'?: string, 'save_as'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string, 'action'?: string, 'tag'?: string, 'failed'?: string}|array{'id': string, 'next'?: string, 'kind': string}>}, 'created_at': string, 'changed_at': string}
     */
    public function postJourneysByJourneyIdResume(string|int $journey_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/journeys/" . rawurlencode((string) $journey_id) . "/resume", null, [], $options);
    }

    /**
     * List the runs of a journey: GET /journeys/{journey_id}/runs
     *
     * @param array{limit?: mixed, after?: mixed, state?: mixed} $query
     * @return array{'data': list<array{'id': string, 'journey_id': string, 'version': int, 'contact_id': string, 'instance_id': int, 'test': bool, 'state': string, 'because': string, 'step': string, 'waits_for': string|null, 'due_at': string|null, 'started_at': string, 'ended_at': string|null}>, 'next': string|null}
     */
    public function getJourneysByJourneyIdRuns(string|int $journey_id, array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/journeys/" . rawurlencode((string) $journey_id) . "/runs", null, $query, $options);
    }

    /**
     * Start a run for a contact: POST /journeys/{journey_id}/runs
     *
     * @param array{'contact_id': string, 'instance_id'?: int|null, 'values'?: array<string, mixed>} $body
     * @return array{'id': string, 'journey_id': string, 'version': int, 'contact_id': string, 'instance_id': int, 'test': bool, 'state': string, 'because': string, 'step': string, 'waits_for': string|null, 'due_at': string|null, 'started_at': string, 'ended_at': string|null}
     */
    public function postJourneysByJourneyIdRuns(string|int $journey_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/journeys/" . rawurlencode((string) $journey_id) . "/runs", self::withObjects($body, ["values"]), [], $options);
    }

    /**
     * List labels: GET /labels
     *
     * @return array{'data': list<array{'id': string, 'name': string, 'colour': string}>}
     */
    public function getLabels(array $options = []): array
    {
        return $this->transport()->call("GET", "/labels", null, [], $options);
    }

    /**
     * Create a label: POST /labels
     *
     * @param array{'name': string, 'colour'?: string} $body
     * @return array{'id': string, 'name': string, 'colour': string}
     */
    public function postLabels(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/labels", $body, [], $options);
    }

    /**
     * Delete a label: DELETE /labels/{label_id}
     *
     * @return array{}
     */
    public function deleteLabelsByLabelId(string|int $label_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/labels/" . rawurlencode((string) $label_id), null, [], $options);
    }

    /**
     * Change a label: PATCH /labels/{label_id}
     *
     * @param array{'name': string, 'colour'?: string} $body
     * @return array{'id': string, 'name': string, 'colour': string}
     */
    public function patchLabelsByLabelId(string|int $label_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PATCH", "/labels/" . rawurlencode((string) $label_id), $body, [], $options);
    }

    /**
     * List coupons: GET /loyalty/coupons
     *
     * @param array{limit?: mixed, after?: mixed, status?: mixed, reward_id?: mixed, contact_id?: mixed} $query
     * @return array{'data': list<array{'id': string, 'code': string, 'status': string, 'reward_id': string, 'terms': array<string, mixed>, 'contact_id': string|null, 'source': string, 'issued_at': string, 'expires_at': string, 'used_at': string|null, 'order_id': string|null, 'discount': float|null}>, 'next': string|null}
     */
    public function getLoyaltyCoupons(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/loyalty/coupons", null, $query, $options);
    }

    /**
     * Issue a coupon: POST /loyalty/coupons
     *
     * @param array{'reward_id': string, 'contact_id'?: string, 'phone'?: string, 'valid_days'?: int|null} $body
     * @return array{'id': string, 'code': string, 'status': string, 'reward_id': string, 'terms': array<string, mixed>, 'contact_id': string|null, 'source': string, 'issued_at': string, 'expires_at': string, 'used_at': string|null, 'order_id': string|null, 'discount': float|null}
     */
    public function postLoyaltyCoupons(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/loyalty/coupons", $body, [], $options);
    }

    /**
     * One coupon: GET /loyalty/coupons/{coupon_id}
     *
     * @return array{'id': string, 'code': string, 'status': string, 'reward_id': string, 'terms': array<string, mixed>, 'contact_id': string|null, 'source': string, 'issued_at': string, 'expires_at': string, 'used_at': string|null, 'order_id': string|null, 'discount': float|null}
     */
    public function getLoyaltyCouponsByCouponId(string|int $coupon_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/loyalty/coupons/" . rawurlencode((string) $coupon_id), null, [], $options);
    }

    /**
     * Cancel a coupon: POST /loyalty/coupons/{coupon_id}/cancel
     *
     * @param array{'reason': string} $body
     * @return array{'id': string, 'code': string, 'status': string, 'reward_id': string, 'terms': array<string, mixed>, 'contact_id': string|null, 'source': string, 'issued_at': string, 'expires_at': string, 'used_at': string|null, 'order_id': string|null, 'discount': float|null}
     */
    public function postLoyaltyCouponsByCouponIdCancel(string|int $coupon_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/loyalty/coupons/" . rawurlencode((string) $coupon_id) . "/cancel", $body, [], $options);
    }

    /**
     * List loyalty balances: GET /loyalty/members
     *
     * @param array{limit?: mixed, after?: mixed, site_id?: mixed, phone?: mixed} $query
     * @return array{'data': list<array{'contact_id': string, 'site_id': string, 'balance': int, 'visits': int, 'first_at': string, 'last_at': string}>, 'next': string|null}
     */
    public function getLoyaltyMembers(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/loyalty/members", null, $query, $options);
    }

    /**
     * Get a guest's balances and history: GET /loyalty/members/{contact_id}
     *
     * @return array{'contact_id': string, 'balances': list<array{'contact_id': string, 'site_id': string, 'balance': int, 'visits': int, 'first_at': string, 'last_at': string}>, 'entries': list<array{'id': string, 'site_id': string, 'amount': int, 'kind': string, 'order_id': string|null, 'coupon_id': string|null, 'because': string, 'by': string, 'at': string}>}
     */
    public function getLoyaltyMembersByContactId(string|int $contact_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/loyalty/members/" . rawurlencode((string) $contact_id), null, [], $options);
    }

    /**
     * Correct a balance: POST /loyalty/members/{contact_id}/correct
     *
     * @param array{'site_id': string, 'amount': int, 'reason': string} $body
     * @return array{'contact_id': string, 'site_id': string, 'balance': int, 'visits': int, 'first_at': string, 'last_at': string}
     */
    public function postLoyaltyMembersByContactIdCorrect(string|int $contact_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/loyalty/members/" . rawurlencode((string) $contact_id) . "/correct", $body, [], $options);
    }

    /**
     * Exchange points for a coupon: POST /loyalty/members/{contact_id}/exchange
     *
     * @param array{'site_id': string, 'reward_id': string} $body
     * @return array{'id': string, 'code': string, 'status': string, 'reward_id': string, 'terms': array<string, mixed>, 'contact_id': string|null, 'source': string, 'issued_at': string, 'expires_at': string, 'used_at': string|null, 'order_id': string|null, 'discount': float|null}
     */
    public function postLoyaltyMembersByContactIdExchange(string|int $contact_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/loyalty/members/" . rawurlencode((string) $contact_id) . "/exchange", $body, [], $options);
    }

    /**
     * List loyalty programmes: GET /loyalty/programmes
     *
     * @return array{'data': list<array{'site_id': string, 'kind': string, 'active': bool, 'amount': float, 'points': int, 'keywords': list<string>, 'gift_id': string|null, 'quiet_from': string, 'quiet_until': string}>, 'next': null}
     */
    public function getLoyaltyProgrammes(array $options = []): array
    {
        return $this->transport()->call("GET", "/loyalty/programmes", null, [], $options);
    }

    /**
     * Set up a site's programme: PUT /loyalty/programmes/{site_id}
     *
     * @param array{'kind': string, 'active'?: bool, 'amount': float|string, 'points'?: int, 'keywords'?: list<string>, 'gift_id'?: string|null, 'quiet_from'?: string, 'quiet_until'?: string, 'worth'?: int|null} $body
     * @return array{'site_id': string, 'kind': string, 'active': bool, 'amount': float, 'points': int, 'keywords': list<string>, 'gift_id': string|null, 'quiet_from': string, 'quiet_until': string}
     */
    public function putLoyaltyProgrammesBySiteId(string|int $site_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PUT", "/loyalty/programmes/" . rawurlencode((string) $site_id), $body, [], $options);
    }

    /**
     * Rewards: GET /loyalty/rewards
     *
     * @return array{'data': list<array{'id': string, 'name': string, 'kind': string, 'value': float, 'most': float|null, 'minimum': float, 'currency': string, 'item_id': string|null, 'item_name': string, 'site_ids': list<string>, 'valid_days': int, 'per_contact': int, 'cost': int|null, 'active': bool}>, 'next': null}
     */
    public function getLoyaltyRewards(array $options = []): array
    {
        return $this->transport()->call("GET", "/loyalty/rewards", null, [], $options);
    }

    /**
     * Add a reward: POST /loyalty/rewards
     *
     * @param array{'name': string, 'kind': string, 'value'?: float|string, 'most'?: float|string|null, 'minimum'?: float|string, 'currency'?: string, 'item_id'?: string, 'site_ids'?: list<string>, 'valid_days'?: int, 'per_contact'?: int, 'cost'?: int|null, 'active'?: bool} $body
     * @return array{'id': string, 'name': string, 'kind': string, 'value': float, 'most': float|null, 'minimum': float, 'currency': string, 'item_id': string|null, 'item_name': string, 'site_ids': list<string>, 'valid_days': int, 'per_contact': int, 'cost': int|null, 'active': bool}
     */
    public function postLoyaltyRewards(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/loyalty/rewards", $body, [], $options);
    }

    /**
     * Delete a reward: DELETE /loyalty/rewards/{reward_id}
     *
     * @return array{}
     */
    public function deleteLoyaltyRewardsByRewardId(string|int $reward_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/loyalty/rewards/" . rawurlencode((string) $reward_id), null, [], $options);
    }

    /**
     * One reward: GET /loyalty/rewards/{reward_id}
     *
     * @return array{'id': string, 'name': string, 'kind': string, 'value': float, 'most': float|null, 'minimum': float, 'currency': string, 'item_id': string|null, 'item_name': string, 'site_ids': list<string>, 'valid_days': int, 'per_contact': int, 'cost': int|null, 'active': bool}
     */
    public function getLoyaltyRewardsByRewardId(string|int $reward_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/loyalty/rewards/" . rawurlencode((string) $reward_id), null, [], $options);
    }

    /**
     * Update a reward: PUT /loyalty/rewards/{reward_id}
     *
     * @param array{'name': string, 'kind': string, 'value'?: float|string, 'most'?: float|string|null, 'minimum'?: float|string, 'currency'?: string, 'item_id'?: string, 'site_ids'?: list<string>, 'valid_days'?: int, 'per_contact'?: int, 'cost'?: int|null, 'active'?: bool} $body
     * @return array{'id': string, 'name': string, 'kind': string, 'value': float, 'most': float|null, 'minimum': float, 'currency': string, 'item_id': string|null, 'item_name': string, 'site_ids': list<string>, 'valid_days': int, 'per_contact': int, 'cost': int|null, 'active': bool}
     */
    public function putLoyaltyRewardsByRewardId(string|int $reward_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PUT", "/loyalty/rewards/" . rawurlencode((string) $reward_id), $body, [], $options);
    }

    /**
     * Get the account and API key of this request: GET /me
     *
     * @return array{'tenant': array{'id': int, 'name': string, 'state': string}, 'plan': array{'code': string, 'name': string}, 'limits': array{'requests_per_second': int, 'burst': int, 'monthly_messages': int|null, 'spend_cap_usd': float|null, 'trial_ends_at': string|null, 'trial_messages_left': int|null}, 'usage': array{'messages_this_month': int, 'spend_usd_this_month': float}, 'key': array{'id': string, 'name': string, 'mode': string, 'scopes': list<string>, 'instance_ids': list<int>|null, 'expires_at': string|null}}
     */
    public function getMe(array $options = []): array
    {
        return $this->transport()->call("GET", "/me", null, [], $options);
    }

    /**
     * Get an uploaded file: GET /media/{media_id}
     *
     * @return array{'id': string, 'type': string, 'mime_type': string, 'filename': string, 'size': int, 'test': bool, 'created_at': string}
     */
    public function getMediaByMediaId(string|int $media_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/media/" . rawurlencode((string) $media_id), null, [], $options);
    }

    /**
     * List menus: GET /menus
     *
     * @return array{'data': list<array{'id': string, 'name': string, 'currency': string, 'languages': list<string>, 'version': int, 'published_at': string|null, 'has_changes': bool}>, 'next': null}
     */
    public function getMenus(array $options = []): array
    {
        return $this->transport()->call("GET", "/menus", null, [], $options);
    }

    /**
     * Begin a menu: POST /menus
     *
     * @param array{'name': string, 'currency': string, 'languages': list<string>} $body
     * @return array{'id': string, 'name': string, 'currency': string, 'languages': list<string>, 'version': int, 'published_at': string|null, 'has_changes': bool}
     */
    public function postMenus(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/menus", $body, [], $options);
    }

    /**
     * Get the draft of a menu: GET /menus/{menu_id}
     *
     * @return array{'id': string, 'name': string, 'currency': string, 'languages': list<string>, 'version': int, 'published_at': string|null, 'has_changes': bool, 'categories': list<array<string, mixed>>, 'items': list<array<string, mixed>>, 'groups': list<array<string, mixed>>, 'happy_hours': list<array<string, mixed>>}
     */
    public function getMenusByMenuId(string|int $menu_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/menus/" . rawurlencode((string) $menu_id), null, [], $options);
    }

    /**
     * Add category: POST /menus/{menu_id}/categories
     *
     * @param array{'texts': array<string, mixed>, 'available'?: array<string, mixed>, 'hidden'?: bool, 'course'?: int} $body
     * @return array{'id': string, 'texts': array<string, mixed>, 'available': array<string, mixed>, 'hidden': bool, 'course': int, 'position': int}
     */
    public function postMenusByMenuIdCategories(string|int $menu_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/menus/" . rawurlencode((string) $menu_id) . "/categories", self::withObjects($body, ["texts", "available"]), [], $options);
    }

    /**
     * Delete an empty category: DELETE /menus/{menu_id}/categories/{category_id}
     *
     * @return array{}
     */
    public function deleteMenusByMenuIdCategoriesByCategoryId(string|int $menu_id, string|int $category_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/menus/" . rawurlencode((string) $menu_id) . "/categories/" . rawurlencode((string) $category_id), null, [], $options);
    }

    /**
     * Update a category: PATCH /menus/{menu_id}/categories/{category_id}
     *
     * @param array{'texts': array<string, mixed>, 'available'?: array<string, mixed>, 'hidden'?: bool, 'course'?: int} $body
     * @return array{'id': string, 'texts': array<string, mixed>, 'available': array<string, mixed>, 'hidden': bool, 'course': int, 'position': int}
     */
    public function patchMenusByMenuIdCategoriesByCategoryId(string|int $menu_id, string|int $category_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PATCH", "/menus/" . rawurlencode((string) $menu_id) . "/categories/" . rawurlencode((string) $category_id), self::withObjects($body, ["texts", "available"]), [], $options);
    }

    /**
     * Add an option group: POST /menus/{menu_id}/groups
     *
     * @param array{'texts': array<string, mixed>, 'least'?: int, 'most'?: int, 'free'?: int, 'options': list<array{'id'?: string|null, 'texts'?: array<string, mixed>, 'price'?: string, 'preset'?: bool, 'removal'?: bool, 'item_id'?: string|null}>} $body
     * @return array{'id': string, 'texts': array<string, mixed>, 'least': int, 'most': int, 'free': int, 'options': list<array<string, mixed>>}
     */
    public function postMenusByMenuIdGroups(string|int $menu_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/menus/" . rawurlencode((string) $menu_id) . "/groups", self::withObjects($body, ["texts"]), [], $options);
    }

    /**
     * Delete an option group: DELETE /menus/{menu_id}/groups/{group_id}
     *
     * @return array{}
     */
    public function deleteMenusByMenuIdGroupsByGroupId(string|int $menu_id, string|int $group_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/menus/" . rawurlencode((string) $menu_id) . "/groups/" . rawurlencode((string) $group_id), null, [], $options);
    }

    /**
     * Update an option group and replace its options: PUT /menus/{menu_id}/groups/{group_id}
     *
     * @param array{'texts': array<string, mixed>, 'least'?: int, 'most'?: int, 'free'?: int, 'options': list<array{'id'?: string|null, 'texts'?: array<string, mixed>, 'price'?: string, 'preset'?: bool, 'removal'?: bool, 'item_id'?: string|null}>} $body
     * @return array{'id': string, 'texts': array<string, mixed>, 'least': int, 'most': int, 'free': int, 'options': list<array<string, mixed>>}
     */
    public function putMenusByMenuIdGroupsByGroupId(string|int $menu_id, string|int $group_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PUT", "/menus/" . rawurlencode((string) $menu_id) . "/groups/" . rawurlencode((string) $group_id), self::withObjects($body, ["texts"]), [], $options);
    }

    /**
     * Replace the happy hours of a menu: PUT /menus/{menu_id}/happy-hours
     *
     * @param array{'data': list<array{'id'?: string, 'texts': array<string, mixed>, 'hours': array<string, mixed>, 'percent'?: string, 'price'?: string, 'categories'?: list<string>, 'items'?: list<string>, 'order_types'?: list<string>, 'active'?: bool}>} $body
     * @return array{'data': list<array<string, mixed>>, 'next': null}
     */
    public function putMenusByMenuIdHappyHours(string|int $menu_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PUT", "/menus/" . rawurlencode((string) $menu_id) . "/happy-hours", $body, [], $options);
    }

    /**
     * Add item: POST /menus/{menu_id}/items
     *
     * @param array{'category_id'?: string|null, 'texts'?: array<string, mixed>|null, 'price'?: string|null, 'tax_percent'?: string|null, 'prices'?: array<string, mixed>|null, 'code'?: string|null, 'stations'?: list<string>|null, 'allergens'?: list<string>|null, 'diets'?: list<string>|null, 'synonyms'?: list<string>|null, 'available'?: array<string, mixed>|null, 'groups'?: list<string>|null, 'hidden'?: bool|null} $body
     * @return array{'id': string, 'category_id': string, 'code': string, 'texts': array<string, mixed>, 'price': string, 'tax_percent': string, 'prices': array<string, mixed>, 'stations': list<string>, 'allergens': list<string>, 'diets': list<string>, 'synonyms': list<string>, 'photo': string, 'available': array<string, mixed>, 'groups': list<string>, 'hidden': bool, 'position': int}
     */
    public function postMenusByMenuIdItems(string|int $menu_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/menus/" . rawurlencode((string) $menu_id) . "/items", self::withObjects($body, ["texts", "prices", "available"]), [], $options);
    }

    /**
     * Delete an item: DELETE /menus/{menu_id}/items/{item_id}
     *
     * @return array{}
     */
    public function deleteMenusByMenuIdItemsByItemId(string|int $menu_id, string|int $item_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/menus/" . rawurlencode((string) $menu_id) . "/items/" . rawurlencode((string) $item_id), null, [], $options);
    }

    /**
     * Update an item: PATCH /menus/{menu_id}/items/{item_id}
     *
     * @param array{'category_id'?: string|null, 'texts'?: array<string, mixed>|null, 'price'?: string|null, 'tax_percent'?: string|null, 'prices'?: array<string, mixed>|null, 'code'?: string|null, 'stations'?: list<string>|null, 'allergens'?: list<string>|null, 'diets'?: list<string>|null, 'synonyms'?: list<string>|null, 'available'?: array<string, mixed>|null, 'groups'?: list<string>|null, 'hidden'?: bool|null} $body
     * @return array{'id': string, 'category_id': string, 'code': string, 'texts': array<string, mixed>, 'price': string, 'tax_percent': string, 'prices': array<string, mixed>, 'stations': list<string>, 'allergens': list<string>, 'diets': list<string>, 'synonyms': list<string>, 'photo': string, 'available': array<string, mixed>, 'groups': list<string>, 'hidden': bool, 'position': int}
     */
    public function patchMenusByMenuIdItemsByItemId(string|int $menu_id, string|int $item_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/menus/" . rawurlencode((string) $menu_id) . "/items/" . rawurlencode((string) $item_id), self::withObjects($body, ["texts", "prices", "available"]), [], $options);
    }

    /**
     * Publish the draft: POST /menus/{menu_id}/publish
     *
     * @return array{'id': string, 'name': string, 'currency': string, 'languages': list<string>, 'version': int, 'published_at': string|null, 'has_changes': bool}
     */
    public function postMenusByMenuIdPublish(string|int $menu_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/menus/" . rawurlencode((string) $menu_id) . "/publish", null, [], $options);
    }

    /**
     * List messages: GET /messages
     *
     * @param array{limit?: mixed, after?: mixed, phone?: mixed, instance_id?: mixed, status_code?: mixed, direction?: mixed, reference?: mixed, since?: mixed, until?: mixed} $query
     * @return array{'data': list<array{'id': string, 'message_id': string|null, 'direction': string, 'instance_id': int, 'phone': string, 'type': string, 'text': string, 'status_code': string, 'reference': string|null, 'cost_usd': float, 'free_reason': string|null, 'test': bool, 'created_at': string, 'error': array<string, mixed>|null, 'media': array{'mime_type': string|null, 'url': string|null, 'size': int|null, 'sha256': string|null, 'caption': string|null, 'filename': string|null}|null, 'from_kind': string, 'location': array<string, mixed>|null, 'contacts': array<string, mixed>|null, 'order': array<string, mixed>|null, 'button': array<string, mixed>|null, 'reaction': array<string, mixed>|null, 'interactive': array<string, mixed>|null, 'reply_to': string|null, 'forwarded': bool|null, 'referral': array<string, mixed>|null, 'referred_product': array<string, mixed>|null, 'handled_by': string|null, 'sent_from': string|null, 'edited_at': string|null, 'deleted_at': string|null, 'earlier_texts': list<string>}>, 'next': string|null}
     */
    public function getMessages(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/messages", null, $query, $options);
    }

    /**
     * Send any type of message: POST /messages
     *
     * @param array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'text': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'media_id'?: string|null, 'url'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'filename'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'latitude': float, 'longitude': float, 'name'?: string|null, 'address'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'contacts': list<array{'name': string, 'first_name'?: string|null, 'middle_name'?: string|null, 'last_name'?: string|null, 'prefix'?: string|null, 'suffix'?: string|null, 'phones'?: list<array{'phone': string, 'type'?: string|null, 'wa_id'?: string|null}>, 'emails'?: list<array{'email': string, 'type'?: string|null}>, 'urls'?: list<array{'url': string, 'type'?: string|null}>, 'addresses'?: list<array{'street'?: string|null, 'city'?: string|null, 'state'?: string|null, 'zip'?: string|null, 'country'?: string|null, 'country_code'?: string|null, 'type'?: string|null}>, 'company'?: string|null, 'department'?: string|null, 'title'?: string|null, 'birthday'?: string|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'message_id': string, 'emoji': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'buttons': list<array{'id': string, 'title': string}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: string|null, 'footer'?: string|null, 'button': string, 'sections': list<array{'title'?: string|null, 'rows': list<array{'id': string, 'title': string, 'description'?: string|null}>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'url': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'footer'?: string|null, 'product_id'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'catalog_id': string, 'product_id': string, 'body'?: string|null, 'footer'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'catalog_id': string, 'header': string, 'body': string, 'footer'?: string|null, 'sections': list<array{'title'?: string|null, 'product_ids': list<string>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'cards': list<array{'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'body'?: string|null, 'buttons'?: list<array{'id': string, 'title': string}>|null, 'link'?: array{'text': string, 'url': string}|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'flow_id'?: string|null, 'flow_name'?: string|null, 'token'?: string|null, 'action'?: string, 'screen'?: string|null, 'data'?: array<string, mixed>|null, 'mode'?: string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'image': array{'media_id'?: string|null, 'url'?: string|null}}|null, 'footer'?: string|null, 'goods'?: string, 'currency': string, 'items': list<array{'name': string, 'quantity'?: int, 'amount': float|string, 'sale_amount'?: float|string|null, 'product_id'?: string|null}>, 'tax'?: array{'amount': float|string, 'description'?: string|null}|null, 'shipping'?: array{'amount': float|string, 'description'?: string|null}|null, 'discount'?: array{'amount': float|string, 'description'?: string|null, 'program'?: string|null}|null, 'total'?: float|string|null, 'expiration'?: array{'at': string, 'text': string}|null, 'payment_type'?: string|null, 'payment_configuration'?: string|null, 'payment_settings'?: list<array<string, mixed>>|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'status': string, 'description'?: string|null, 'body'?: string|null, 'type': string} $body
     * @return array{'status': string, 'message_id': string|null, 'status_code': string, 'cost_usd': float, 'id': string, 'instance_id': int, 'phone': string, 'reference': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postMessages(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/messages", $body, [], $options);
    }

    /**
     * Preview a message: POST /messages/preview
     *
     * @param array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'text': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'media_id'?: string|null, 'url'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'media_id'?: string|null, 'url'?: string|null, 'caption'?: string|null, 'filename'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'latitude': float, 'longitude': float, 'name'?: string|null, 'address'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'contacts': list<array{'name': string, 'first_name'?: string|null, 'middle_name'?: string|null, 'last_name'?: string|null, 'prefix'?: string|null, 'suffix'?: string|null, 'phones'?: list<array{'phone': string, 'type'?: string|null, 'wa_id'?: string|null}>, 'emails'?: list<array{'email': string, 'type'?: string|null}>, 'urls'?: list<array{'url': string, 'type'?: string|null}>, 'addresses'?: list<array{'street'?: string|null, 'city'?: string|null, 'state'?: string|null, 'zip'?: string|null, 'country'?: string|null, 'country_code'?: string|null, 'type'?: string|null}>, 'company'?: string|null, 'department'?: string|null, 'title'?: string|null, 'birthday'?: string|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'message_id': string, 'emoji': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'buttons': list<array{'id': string, 'title': string}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: string|null, 'footer'?: string|null, 'button': string, 'sections': list<array{'title'?: string|null, 'rows': list<array{'id': string, 'title': string, 'description'?: string|null}>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'url': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'footer'?: string|null, 'product_id'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'catalog_id': string, 'product_id': string, 'body'?: string|null, 'footer'?: string|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'catalog_id': string, 'header': string, 'body': string, 'footer'?: string|null, 'sections': list<array{'title'?: string|null, 'product_ids': list<string>}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'cards': list<array{'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'body'?: string|null, 'buttons'?: list<array{'id': string, 'title': string}>|null, 'link'?: array{'text': string, 'url': string}|null}>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'text'?: string|null, 'image'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'video'?: array{'media_id'?: string|null, 'url'?: string|null}|null, 'document'?: array{'media_id'?: string|null, 'url'?: string|null}|null}|string|null, 'footer'?: string|null, 'text': string, 'flow_id'?: string|null, 'flow_name'?: string|null, 'token'?: string|null, 'action'?: string, 'screen'?: string|null, 'data'?: array<string, mixed>|null, 'mode'?: string, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'reply_to'?: string|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'body': string, 'header'?: array{'image': array{'media_id'?: string|null, 'url'?: string|null}}|null, 'footer'?: string|null, 'goods'?: string, 'currency': string, 'items': list<array{'name': string, 'quantity'?: int, 'amount': float|string, 'sale_amount'?: float|string|null, 'product_id'?: string|null}>, 'tax'?: array{'amount': float|string, 'description'?: string|null}|null, 'shipping'?: array{'amount': float|string, 'description'?: string|null}|null, 'discount'?: array{'amount': float|string, 'description'?: string|null, 'program'?: string|null}|null, 'total'?: float|string|null, 'expiration'?: array{'at': string, 'text': string}|null, 'payment_type'?: string|null, 'payment_configuration'?: string|null, 'payment_settings'?: list<array<string, mixed>>|null, 'type': string}|array{'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference': string, 'reply_to'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'to': array{'phone'?: string|null, 'contact_id'?: string|null, 'conversation_id'?: string|null}, 'status': string, 'description'?: string|null, 'body'?: string|null, 'type': string} $body
     * @return array{'type': string, 'text': string, 'phone': string, 'instance_id': int, 'line_kind': string, 'sent_as': string, 'category': string, 'cost_usd': float, 'test': bool, 'body': array<string, mixed>|null, 'warnings'?: list<string>}
     */
    public function postMessagesPreview(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/messages/preview", $body, [], $options);
    }

    /**
     * Send a text message: POST /messages/send
     *
     * @param array{'phone': string, 'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'message': string} $body
     * @return array{'status': string, 'message_id': string|null, 'status_code': string, 'cost_usd': float, 'id': string, 'instance_id': int, 'phone': string, 'reference': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postMessagesSend(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/messages/send", self::withObjects($body, ["fallback_template"]), [], $options);
    }

    /**
     * Send a location: POST /messages/send-location
     *
     * @param array{'phone': string, 'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'latitude': float, 'longitude': float, 'name'?: string|null, 'address'?: string|null} $body
     * @return array{'status': string, 'message_id': string|null, 'status_code': string, 'cost_usd': float, 'id': string, 'instance_id': int, 'phone': string, 'reference': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postMessagesSendLocation(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/messages/send-location", self::withObjects($body, ["fallback_template"]), [], $options);
    }

    /**
     * Send an image or a document: POST /messages/send-media
     *
     * @param array{'phone': string, 'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'fallback_template'?: array{'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>}|null, 'media_url': string, 'type': string, 'caption'?: string|null, 'filename'?: string|null} $body
     * @return array{'status': string, 'message_id': string|null, 'status_code': string, 'cost_usd': float, 'id': string, 'instance_id': int, 'phone': string, 'reference': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postMessagesSendMedia(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/messages/send-media", self::withObjects($body, ["fallback_template"]), [], $options);
    }

    /**
     * Send an approved template: POST /messages/send-template
     *
     * @param array{'phone': string, 'instance_id'?: int|null, 'scheduled_at'?: string|null, 'valid_for_seconds'?: int|null, 'reference'?: string|null, 'name': string, 'language': string, 'parameters'?: list<string>|array<string, mixed>} $body
     * @return array{'status': string, 'message_id': string|null, 'status_code': string, 'cost_usd': float, 'id': string, 'instance_id': int, 'phone': string, 'reference': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postMessagesSendTemplate(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/messages/send-template", $body, [], $options);
    }

    /**
     * One message: GET /messages/{message_id}
     *
     * @return array{'id': string, 'message_id': string|null, 'direction': string, 'instance_id': int, 'phone': string, 'type': string, 'text': string, 'status_code': string, 'reference': string|null, 'cost_usd': float, 'free_reason': string|null, 'test': bool, 'created_at': string, 'error': array<string, mixed>|null, 'media': array{'mime_type': string|null, 'url': string|null, 'size': int|null, 'sha256': string|null, 'caption': string|null, 'filename': string|null}|null, 'from_kind': string, 'location': array<string, mixed>|null, 'contacts': array<string, mixed>|null, 'order': array<string, mixed>|null, 'button': array<string, mixed>|null, 'reaction': array<string, mixed>|null, 'interactive': array<string, mixed>|null, 'reply_to': string|null, 'forwarded': bool|null, 'referral': array<string, mixed>|null, 'referred_product': array<string, mixed>|null, 'handled_by': string|null, 'sent_from': string|null, 'edited_at': string|null, 'deleted_at': string|null, 'earlier_texts': list<string>}
     */
    public function getMessagesByMessageId(string|int $message_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/messages/" . rawurlencode((string) $message_id), null, [], $options);
    }

    /**
     * Cancel an unsent message: POST /messages/{message_id}/cancel
     *
     * @return array{'id': string, 'message_id': string|null, 'direction': string, 'instance_id': int, 'phone': string, 'type': string, 'text': string, 'status_code': string, 'reference': string|null, 'cost_usd': float, 'free_reason': string|null, 'test': bool, 'created_at': string, 'error': array<string, mixed>|null, 'media': array{'mime_type': string|null, 'url': string|null, 'size': int|null, 'sha256': string|null, 'caption': string|null, 'filename': string|null}|null, 'from_kind': string, 'location': array<string, mixed>|null, 'contacts': array<string, mixed>|null, 'order': array<string, mixed>|null, 'button': array<string, mixed>|null, 'reaction': array<string, mixed>|null, 'interactive': array<string, mixed>|null, 'reply_to': string|null, 'forwarded': bool|null, 'referral': array<string, mixed>|null, 'referred_product': array<string, mixed>|null, 'handled_by': string|null, 'sent_from': string|null, 'edited_at': string|null, 'deleted_at': string|null, 'earlier_texts': list<string>}
     */
    public function postMessagesByMessageIdCancel(string|int $message_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/messages/" . rawurlencode((string) $message_id) . "/cancel", null, [], $options);
    }

    /**
     * List the events of a message: GET /messages/{message_id}/timeline
     *
     * @return array{'data': list<array{'status_code': string, 'at': string, 'cause': string}>, 'next': null}
     */
    public function getMessagesByMessageIdTimeline(string|int $message_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/messages/" . rawurlencode((string) $message_id) . "/timeline", null, [], $options);
    }

    /**
     * List orders: GET /orders
     *
     * @param array{limit?: mixed, after?: mixed, site_id?: mixed, status?: mixed, phone?: mixed, since?: mixed, until?: mixed} $query
     * @return array{'data': list<array{'order_id': string, 'order_type': string, 'table_number': string, 'waiter_assigned': string, 'customer': array{'phone'?: string, 'name'?: string, 'contact_id'?: string|null}, 'items': list<array{'name': string, 'quantity': int, 'unit_price': float, 'regular_price': float, 'options': list<string>, 'station': string, 'stations': list<string>, 'note': string, 'course': int, 'fired': bool}>, 'notes': string, 'total_amount': float, 'discount': float, 'payment_method': string, 'status': string, 'id': string, 'site': array<string, mixed>, 'currency': string, 'address': string, 'delivery': array{'fee': float, 'zone': string, 'latitude': float|null, 'longitude': float|null, 'route_url': string|null}|null, 'paid': bool, 'paid_amount': float, 'open_amount': float, 'placed_at': string, 'due_at'?: string, 'promised_at': string|null, 'promise_minutes': int|null, 'test': bool, 'changed_at': string, 'version': int, 'sums': array<string, mixed>}>, 'next': string|null}
     */
    public function getOrders(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/orders", null, $query, $options);
    }

    /**
     * Make an order: POST /orders
     *
     * @param array{'site_id': string, 'order_type'?: string, 'payment_method'?: string, 'table_number'?: string, 'customer'?: array{'phone'?: string, 'name'?: string}, 'items': list<array{'item_id': string, 'quantity'?: int, 'options'?: list<string>, 'note'?: string}>, 'notes'?: string, 'due_at'?: string|null, 'coupon'?: string, 'address'?: string, 'latitude'?: float|null, 'longitude'?: float|null, 'zone_id'?: string} $body
     * @return array{'order_id': string, 'order_type': string, 'table_number': string, 'waiter_assigned': string, 'customer': array{'phone'?: string, 'name'?: string, 'contact_id'?: string|null}, 'items': list<array{'name': string, 'quantity': int, 'unit_price': float, 'regular_price': float, 'options': list<string>, 'station': string, 'stations': list<string>, 'note': string, 'course': int, 'fired': bool}>, 'notes': string, 'total_amount': float, 'discount': float, 'payment_method': string, 'status': string, 'id': string, 'site': array<string, mixed>, 'currency': string, 'address': string, 'delivery': array{'fee': float, 'zone': string, 'latitude': float|null, 'longitude': float|null, 'route_url': string|null}|null, 'paid': bool, 'paid_amount': float, 'open_amount': float, 'placed_at': string, 'due_at'?: string, 'promised_at': string|null, 'promise_minutes': int|null, 'test': bool, 'changed_at': string, 'version': int, 'sums': array<string, mixed>}
     */
    public function postOrders(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/orders", self::withObjects($body, ["customer"]), [], $options);
    }

    /**
     * One order: GET /orders/{order_id}
     *
     * @return array{'order_id': string, 'order_type': string, 'table_number': string, 'waiter_assigned': string, 'customer': array{'phone'?: string, 'name'?: string, 'contact_id'?: string|null}, 'items': list<array{'name': string, 'quantity': int, 'unit_price': float, 'regular_price': float, 'options': list<string>, 'station': string, 'stations': list<string>, 'note': string, 'course': int, 'fired': bool}>, 'notes': string, 'total_amount': float, 'discount': float, 'payment_method': string, 'status': string, 'id': string, 'site': array<string, mixed>, 'currency': string, 'address': string, 'delivery': array{'fee': float, 'zone': string, 'latitude': float|null, 'longitude': float|null, 'route_url': string|null}|null, 'paid': bool, 'paid_amount': float, 'open_amount': float, 'placed_at': string, 'due_at'?: string, 'promised_at': string|null, 'promise_minutes': int|null, 'test': bool, 'changed_at': string, 'version': int, 'sums': array<string, mixed>}
     */
    public function getOrdersByOrderId(string|int $order_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/orders/" . rawurlencode((string) $order_id), null, [], $options);
    }

    /**
     * Cancel an order: POST /orders/{order_id}/cancel
     *
     * @param array{'reason': string} $body
     * @return array{'order_id': string, 'order_type': string, 'table_number': string, 'waiter_assigned': string, 'customer': array{'phone'?: string, 'name'?: string, 'contact_id'?: string|null}, 'items': list<array{'name': string, 'quantity': int, 'unit_price': float, 'regular_price': float, 'options': list<string>, 'station': string, 'stations': list<string>, 'note': string, 'course': int, 'fired': bool}>, 'notes': string, 'total_amount': float, 'discount': float, 'payment_method': string, 'status': string, 'id': string, 'site': array<string, mixed>, 'currency': string, 'address': string, 'delivery': array{'fee': float, 'zone': string, 'latitude': float|null, 'longitude': float|null, 'route_url': string|null}|null, 'paid': bool, 'paid_amount': float, 'open_amount': float, 'placed_at': string, 'due_at'?: string, 'promised_at': string|null, 'promise_minutes': int|null, 'test': bool, 'changed_at': string, 'version': int, 'sums': array<string, mixed>}
     */
    public function postOrdersByOrderIdCancel(string|int $order_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/orders/" . rawurlencode((string) $order_id) . "/cancel", $body, [], $options);
    }

    /**
     * List the events of an order: GET /orders/{order_id}/changes
     *
     * @return array{'data': list<array{'at': string, 'what': string, 'status': string, 'by': string, 'because': string}>, 'next': null}
     */
    public function getOrdersByOrderIdChanges(string|int $order_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/orders/" . rawurlencode((string) $order_id) . "/changes", null, [], $options);
    }

    /**
     * Assign an order to a courier: POST /orders/{order_id}/courier
     *
     * @param array{'courier_id'?: string|null, 'version'?: int|null} $body
     * @return array{'order_id': string, 'status': string, 'courier': array<string, mixed>|null, 'collect': array<string, mixed>, 'delivery': array<string, mixed>|null}
     */
    public function postOrdersByOrderIdCourier(string|int $order_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/orders/" . rawurlencode((string) $order_id) . "/courier", $body, [], $options);
    }

    /**
     * Get the courier of an order: GET /orders/{order_id}/delivery
     *
     * @return array{'order_id': string, 'status': string, 'courier': array<string, mixed>|null, 'collect': array<string, mixed>, 'delivery': array<string, mixed>|null}
     */
    public function getOrdersByOrderIdDelivery(string|int $order_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/orders/" . rawurlencode((string) $order_id) . "/delivery", null, [], $options);
    }

    /**
     * Update the delivery status of an order: POST /orders/{order_id}/delivery
     *
     * @param array{'status': string, 'problem'?: string|null, 'note'?: string} $body
     * @return array{'order_id': string, 'status': string, 'courier': array<string, mixed>|null, 'collect': array<string, mixed>, 'delivery': array<string, mixed>|null}
     */
    public function postOrdersByOrderIdDelivery(string|int $order_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/orders/" . rawurlencode((string) $order_id) . "/delivery", $body, [], $options);
    }

    /**
     * Set the delivery location of an order: POST /orders/{order_id}/location
     *
     * @param array{'latitude': float, 'longitude': float, 'address'?: string} $body
     * @return array{'order_id': string, 'order_type': string, 'table_number': string, 'waiter_assigned': string, 'customer': array{'phone'?: string, 'name'?: string, 'contact_id'?: string|null}, 'items': list<array{'name': string, 'quantity': int, 'unit_price': float, 'regular_price': float, 'options': list<string>, 'station': string, 'stations': list<string>, 'note': string, 'course': int, 'fired': bool}>, 'notes': string, 'total_amount': float, 'discount': float, 'payment_method': string, 'status': string, 'id': string, 'site': array<string, mixed>, 'currency': string, 'address': string, 'delivery': array{'fee': float, 'zone': string, 'latitude': float|null, 'longitude': float|null, 'route_url': string|null}|null, 'paid': bool, 'paid_amount': float, 'open_amount': float, 'placed_at': string, 'due_at'?: string, 'promised_at': string|null, 'promise_minutes': int|null, 'test': bool, 'changed_at': string, 'version': int, 'sums': array<string, mixed>}
     */
    public function postOrdersByOrderIdLocation(string|int $order_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/orders/" . rawurlencode((string) $order_id) . "/location", $body, [], $options);
    }

    /**
     * List the payments of an order: GET /orders/{order_id}/payments
     *
     * @return array{'data': list<array{'id': string, 'reference': string, 'payment_link_id': string|null, 'order_id': string, 'amount': float, 'currency': string, 'refunded_amount': float, 'status': string, 'reason': string, 'surplus_amount': float, 'share': array{'id': string, 'tab_id': string, 'guest': string, 'kind': string, 'amount': float, 'tip': float}|null, 'paid_at': string, 'test': bool, 'refunds': list<array{'id': string, 'amount': float, 'reason': string, 'status': string, 'error': string, 'by': string, 'created_at': string}>}>, 'next': null}
     */
    public function getOrdersByOrderIdPayments(string|int $order_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/orders/" . rawurlencode((string) $order_id) . "/payments", null, [], $options);
    }

    /**
     * Change the status of an order: POST /orders/{order_id}/status
     *
     * @param array{'status': string, 'version'?: int|null, 'reason'?: string} $body
     * @return array{'order_id': string, 'order_type': string, 'table_number': string, 'waiter_assigned': string, 'customer': array{'phone'?: string, 'name'?: string, 'contact_id'?: string|null}, 'items': list<array{'name': string, 'quantity': int, 'unit_price': float, 'regular_price': float, 'options': list<string>, 'station': string, 'stations': list<string>, 'note': string, 'course': int, 'fired': bool}>, 'notes': string, 'total_amount': float, 'discount': float, 'payment_method': string, 'status': string, 'id': string, 'site': array<string, mixed>, 'currency': string, 'address': string, 'delivery': array{'fee': float, 'zone': string, 'latitude': float|null, 'longitude': float|null, 'route_url': string|null}|null, 'paid': bool, 'paid_amount': float, 'open_amount': float, 'placed_at': string, 'due_at'?: string, 'promised_at': string|null, 'promise_minutes': int|null, 'test': bool, 'changed_at': string, 'version': int, 'sums': array<string, mixed>}
     */
    public function postOrdersByOrderIdStatus(string|int $order_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/orders/" . rawurlencode((string) $order_id) . "/status", $body, [], $options);
    }

    /**
     * Get your partner account: GET /partner
     *
     * @return array{'id': string, 'name': string, 'plans': list<array{'code': string, 'name': string}>, 'most_tenants': int}
     */
    public function getPartner(array $options = []): array
    {
        return $this->transport()->call("GET", "/partner", null, [], $options);
    }

    /**
     * List your tenants: GET /partner/tenants
     *
     * @param array{limit?: mixed, after?: mixed, reference?: mixed} $query
     * @return array{'data': list<array{'id': int, 'name': string, 'reference': string|null, 'state': string, 'plan': string, 'created_at': string, 'suspended_at': string|null, 'suspended_because': string|null}>, 'next': string|null}
     */
    public function getPartnerTenants(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/partner/tenants", null, $query, $options);
    }

    /**
     * Create a tenant: POST /partner/tenants
     *
     * @param array{'name': string, 'plan'?: string, 'reference'?: string|null, 'locale'?: string, 'time_zone'?: string, 'owner_email'?: string|null} $body
     * @return array{'id': int, 'name': string, 'reference': string|null, 'state': string, 'plan': string, 'created_at': string, 'suspended_at': string|null, 'suspended_because': string|null, 'owner_invitation_url': string|null}
     */
    public function postPartnerTenants(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/partner/tenants", $body, [], $options);
    }

    /**
     * Get a tenant: GET /partner/tenants/{tenant_id}
     *
     * @return array{'id': int, 'name': string, 'reference': string|null, 'state': string, 'plan': string, 'created_at': string, 'suspended_at': string|null, 'suspended_because': string|null}
     */
    public function getPartnerTenantsByTenantId(string|int $tenant_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/partner/tenants/" . rawurlencode((string) $tenant_id), null, [], $options);
    }

    /**
     * List lines: GET /partner/tenants/{tenant_id}/instances
     *
     * @return array{'data': list<array{'id': int, 'name': string, 'kind': string, 'network': string, 'phone': string, 'state': string, 'state_because': string, 'state_at': string, 'enabled': bool, 'is_default': bool, 'test': bool, 'messages_per_second': float, 'fallback_instance_id': int|null, 'created_at': string, 'can': array<string, mixed>, 'quality': string|null, 'recipient_limit': array{'per_day': int|null, 'used': int|null}|null, 'direct_send': string}>, 'next': null}
     */
    public function getPartnerTenantsByTenantIdInstances(string|int $tenant_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/instances", null, [], $options);
    }

    /**
     * Add a cloud line: POST /partner/tenants/{tenant_id}/instances
     *
     * @param array{'name': string, 'phone': string, 'phone_number_id': string, 'account_id'?: string|null, 'token': string, 'app_secret': string} $body
     * @return array{'id': int, 'name': string, 'kind': string, 'network': string, 'phone': string, 'state': string, 'state_because': string, 'state_at': string, 'enabled': bool, 'is_default': bool, 'test': bool, 'messages_per_second': float, 'fallback_instance_id': int|null, 'created_at': string, 'can': array<string, mixed>, 'quality': string|null, 'recipient_limit': array{'per_day': int|null, 'used': int|null}|null, 'direct_send': string, 'webhook': array{'callback_url': string, 'verify_token': string}|null, 'problems': list<array{'code': string, 'message': string}>}
     */
    public function postPartnerTenantsByTenantIdInstances(string|int $tenant_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/instances", $body, [], $options);
    }

    /**
     * Delete a line: DELETE /partner/tenants/{tenant_id}/instances/{instance_id}
     *
     * @return array{}
     */
    public function deletePartnerTenantsByTenantIdInstancesByInstanceId(string|int $tenant_id, string|int $instance_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/instances/" . rawurlencode((string) $instance_id), null, [], $options);
    }

    /**
     * List API keys: GET /partner/tenants/{tenant_id}/keys
     *
     * @return array{'data': list<array{'id': string, 'name': string, 'mode': string, 'prefix': string, 'scopes': list<string>, 'state': string, 'created_at': string, 'last_used_at': string|null}>, 'next': null}
     */
    public function getPartnerTenantsByTenantIdKeys(string|int $tenant_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/keys", null, [], $options);
    }

    /**
     * Create an API key: POST /partner/tenants/{tenant_id}/keys
     *
     * @param array{'name': string, 'mode'?: string, 'scopes': list<string>} $body
     * @return array{'id': string, 'name': string, 'mode': string, 'prefix': string, 'scopes': list<string>, 'state': string, 'created_at': string, 'last_used_at': string|null, 'api_key': string}
     */
    public function postPartnerTenantsByTenantIdKeys(string|int $tenant_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/keys", $body, [], $options);
    }

    /**
     * Revoke an API key: DELETE /partner/tenants/{tenant_id}/keys/{key_id}
     *
     * @return array{'id': string, 'name': string, 'mode': string, 'prefix': string, 'scopes': list<string>, 'state': string, 'created_at': string, 'last_used_at': string|null}
     */
    public function deletePartnerTenantsByTenantIdKeysByKeyId(string|int $tenant_id, string|int $key_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/keys/" . rawurlencode((string) $key_id), null, [], $options);
    }

    /**
     * Change a tenant's plan: POST /partner/tenants/{tenant_id}/plan
     *
     * @param array{'plan': string} $body
     * @return array{'id': int, 'name': string, 'reference': string|null, 'state': string, 'plan': string, 'created_at': string, 'suspended_at': string|null, 'suspended_because': string|null}
     */
    public function postPartnerTenantsByTenantIdPlan(string|int $tenant_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/plan", $body, [], $options);
    }

    /**
     * Resume a tenant: POST /partner/tenants/{tenant_id}/resume
     *
     * @return array{'id': int, 'name': string, 'reference': string|null, 'state': string, 'plan': string, 'created_at': string, 'suspended_at': string|null, 'suspended_because': string|null}
     */
    public function postPartnerTenantsByTenantIdResume(string|int $tenant_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/resume", null, [], $options);
    }

    /**
     * Suspend a tenant: POST /partner/tenants/{tenant_id}/suspend
     *
     * @param array{'reason'?: string} $body
     * @return array{'id': int, 'name': string, 'reference': string|null, 'state': string, 'plan': string, 'created_at': string, 'suspended_at': string|null, 'suspended_because': string|null}
     */
    public function postPartnerTenantsByTenantIdSuspend(string|int $tenant_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/suspend", $body, [], $options);
    }

    /**
     * Get a tenant's usage by month: GET /partner/tenants/{tenant_id}/usage
     *
     * @return array{'data': list<array{'month': string, 'messages': int, 'spend_usd': float}>, 'next': null}
     */
    public function getPartnerTenantsByTenantIdUsage(string|int $tenant_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/usage", null, [], $options);
    }

    /**
     * List endpoints: GET /partner/tenants/{tenant_id}/webhooks
     *
     * @return array{'data': list<array{'id': string, 'url': string, 'events': list<string>, 'description': string, 'instance_ids': list<int>, 'filters': list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>, 'header_names': list<string>, 'ordered': bool, 'enabled': bool, 'health': string, 'disabled_because': string|null, 'failing_since': string|null, 'last_success_at': string|null, 'old_secret_until': string|null, 'test': bool, 'created_at': string, 'warnings'?: list<string>}>, 'next': null}
     */
    public function getPartnerTenantsByTenantIdWebhooks(string|int $tenant_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/webhooks", null, [], $options);
    }

    /**
     * Register an endpoint: POST /partner/tenants/{tenant_id}/webhooks
     *
     * @param array{'url': string, 'events': list<string>, 'description'?: string|null, 'test'?: bool} $body
     * @return array{'id': string, 'url': string, 'events': list<string>, 'description': string, 'instance_ids': list<int>, 'filters': list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>, 'header_names': list<string>, 'ordered': bool, 'enabled': bool, 'health': string, 'disabled_because': string|null, 'failing_since': string|null, 'last_success_at': string|null, 'old_secret_until': string|null, 'test': bool, 'created_at': string, 'warnings'?: list<string>, 'secret': string}
     */
    public function postPartnerTenantsByTenantIdWebhooks(string|int $tenant_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/webhooks", $body, [], $options);
    }

    /**
     * Delete an endpoint: DELETE /partner/tenants/{tenant_id}/webhooks/{endpoint_id}
     *
     * @return array{}
     */
    public function deletePartnerTenantsByTenantIdWebhooksByEndpointId(string|int $tenant_id, string|int $endpoint_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/partner/tenants/" . rawurlencode((string) $tenant_id) . "/webhooks/" . rawurlencode((string) $endpoint_id), null, [], $options);
    }

    /**
     * Get a month's usage by tenant: GET /partner/usage
     *
     * @param array{limit?: mixed, after?: mixed, month?: mixed} $query
     * @return array{'month': string, 'data': list<array{'tenant_id': int, 'reference': string|null, 'plan': string, 'messages': int, 'spend_usd': float}>, 'next': string|null}
     */
    public function getPartnerUsage(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/partner/usage", null, $query, $options);
    }

    /**
     * List payment links: GET /payment-links
     *
     * @param array{limit?: mixed, after?: mixed, status?: mixed, site_id?: mixed} $query
     * @return array{'data': list<array{'id': string, 'reference': string, 'status': string, 'url': string, 'amount': float, 'currency': string, 'description': string, 'site_id': string, 'order_id': string, 'expires_at': string, 'paid_at': string|null, 'error': string, 'created_at': string, 'test': bool}>, 'next': string|null}
     */
    public function getPaymentLinks(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/payment-links", null, $query, $options);
    }

    /**
     * Create a payment link: POST /payment-links
     *
     * @param array{'order_id'?: string, 'cart_code'?: string, 'site_id'?: string, 'amount'?: float|null, 'description'?: string, 'phone'?: string, 'name'?: string, 'send'?: bool, 'minutes'?: int|null} $body
     * @return array{'id': string, 'reference': string, 'status': string, 'url': string, 'amount': float, 'currency': string, 'description': string, 'site_id': string, 'order_id': string, 'expires_at': string, 'paid_at': string|null, 'error': string, 'created_at': string, 'test': bool}
     */
    public function postPaymentLinks(array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/payment-links", $body, [], $options);
    }

    /**
     * Get a payment link: GET /payment-links/{link_id}
     *
     * @return array{'id': string, 'reference': string, 'status': string, 'url': string, 'amount': float, 'currency': string, 'description': string, 'site_id': string, 'order_id': string, 'expires_at': string, 'paid_at': string|null, 'error': string, 'created_at': string, 'test': bool}
     */
    public function getPaymentLinksByLinkId(string|int $link_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/payment-links/" . rawurlencode((string) $link_id), null, [], $options);
    }

    /**
     * Cancel a payment link: POST /payment-links/{link_id}/cancel
     *
     * @return array{'id': string, 'reference': string, 'status': string, 'url': string, 'amount': float, 'currency': string, 'description': string, 'site_id': string, 'order_id': string, 'expires_at': string, 'paid_at': string|null, 'error': string, 'created_at': string, 'test': bool}
     */
    public function postPaymentLinksByLinkIdCancel(string|int $link_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/payment-links/" . rawurlencode((string) $link_id) . "/cancel", null, [], $options);
    }

    /**
     * Replace a payment link: POST /payment-links/{link_id}/renew
     *
     * @param array{'minutes'?: int|null} $body
     * @return array{'id': string, 'reference': string, 'status': string, 'url': string, 'amount': float, 'currency': string, 'description': string, 'site_id': string, 'order_id': string, 'expires_at': string, 'paid_at': string|null, 'error': string, 'created_at': string, 'test': bool}
     */
    public function postPaymentLinksByLinkIdRenew(string|int $link_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/payment-links/" . rawurlencode((string) $link_id) . "/renew", $body, [], $options);
    }

    /**
     * Refund a payment: POST /payments/{payment_id}/refunds
     *
     * @param array{'amount'?: float|null, 'reason': string} $body
     * @return array{'id': string, 'amount': float, 'reason': string, 'status': string, 'error': string, 'by': string, 'created_at': string}
     */
    public function postPaymentsByPaymentIdRefunds(string|int $payment_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/payments/" . rawurlencode((string) $payment_id) . "/refunds", $body, [], $options);
    }

    /**
     * List print agents: GET /print-agents
     *
     * @return array{'data': list<array{'id': string, 'site_id': string, 'name': string, 'version': string, 'online': bool, 'seen_at': string|null, 'paired_at': string, 'found': list<array<string, mixed>>}>, 'next': null}
     */
    public function getPrintAgents(array $options = []): array
    {
        return $this->transport()->call("GET", "/print-agents", null, [], $options);
    }

    /**
     * Create a pairing code for a print agent: POST /print-agents
     *
     * @param array{'site_id': string} $body
     * @return array{'code': string, 'expires_at': string}
     */
    public function postPrintAgents(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/print-agents", $body, [], $options);
    }

    /**
     * Delete a print agent: DELETE /print-agents/{agent_id}
     *
     * @return array{}
     */
    public function deletePrintAgentsByAgentId(string|int $agent_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/print-agents/" . rawurlencode((string) $agent_id), null, [], $options);
    }

    /**
     * One agent: GET /print-agents/{agent_id}
     *
     * @return array{'id': string, 'site_id': string, 'name': string, 'version': string, 'online': bool, 'seen_at': string|null, 'paired_at': string, 'found': list<array<string, mixed>>}
     */
    public function getPrintAgentsByAgentId(string|int $agent_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/print-agents/" . rawurlencode((string) $agent_id), null, [], $options);
    }

    /**
     * Rename a print agent: PATCH /print-agents/{agent_id}
     *
     * @param array{'name': string} $body
     * @return array{'id': string, 'site_id': string, 'name': string, 'version': string, 'online': bool, 'seen_at': string|null, 'paired_at': string, 'found': list<array<string, mixed>>}
     */
    public function patchPrintAgentsByAgentId(string|int $agent_id, array $body, array $options = []): array
    {
        return $this->transport()->call("PATCH", "/print-agents/" . rawurlencode((string) $agent_id), $body, [], $options);
    }

    /**
     * List print jobs: GET /print-jobs
     *
     * @param array{limit?: mixed, after?: mixed, printer_id?: mixed, state?: mixed} $query
     * @return array{'data': list<array{'id': string, 'site_id': string, 'printer_id': string, 'kind': string, 'title': string, 'order_id': string, 'station': string, 'copy_number': int, 'state': string, 'detail': string, 'reprint_of': string|null, 'fallback_of': string|null, 'queued_at': string, 'settled_at': string|null, 'evidence': list<array<string, mixed>>}>, 'next': string|null}
     */
    public function getPrintJobs(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/print-jobs", null, $query, $options);
    }

    /**
     * Get a print job: GET /print-jobs/{print_job_id}
     *
     * @return array{'id': string, 'site_id': string, 'printer_id': string, 'kind': string, 'title': string, 'order_id': string, 'station': string, 'copy_number': int, 'state': string, 'detail': string, 'reprint_of': string|null, 'fallback_of': string|null, 'queued_at': string, 'settled_at': string|null, 'evidence': list<array<string, mixed>>}
     */
    public function getPrintJobsByPrintJobId(string|int $print_job_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/print-jobs/" . rawurlencode((string) $print_job_id), null, [], $options);
    }

    /**
     * Reprint a ticket: POST /print-jobs/{print_job_id}/reprint
     *
     * @return array{'id': string}
     */
    public function postPrintJobsByPrintJobIdReprint(string|int $print_job_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/print-jobs/" . rawurlencode((string) $print_job_id) . "/reprint", null, [], $options);
    }

    /**
     * List printers: GET /printers
     *
     * @param array{site_id?: mixed} $query
     * @return array{'data': list<array{'id': string, 'site_id': string, 'name': string, 'way': string, 'agent_id': string|null, 'output': array<string, mixed>, 'language': string, 'profile': string, 'width_mm': int, 'code_page': string|null, 'checks': bool, 'stations': list<string>, 'bills': bool, 'copies': int, 'fallback_id': string|null, 'fallback_seconds': int, 'enabled': bool, 'state': string, 'detail': string, 'state_since': string, 'seen_at': string|null, 'url': string}>, 'next': null}
     */
    public function getPrinters(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/printers", null, $query, $options);
    }

    /**
     * Add printer: POST /printers
     *
     * @param array{'name': string, 'agent_id'?: string|null, 'output'?: array<string, mixed>|null, 'language'?: string|null, 'profile'?: string|null, 'width_mm'?: int|null, 'code_page'?: string|null, 'checks'?: bool|null, 'stations'?: list<string>|null, 'bills'?: bool|null, 'copies'?: int|null, 'fallback_id'?: string|null, 'fallback_seconds'?: int|null, 'enabled'?: bool|null, 'site_id': string, 'way': string} $body
     * @return array{'id': string, 'site_id': string, 'name': string, 'way': string, 'agent_id': string|null, 'output': array<string, mixed>, 'language': string, 'profile': string, 'width_mm': int, 'code_page': string|null, 'checks': bool, 'stations': list<string>, 'bills': bool, 'copies': int, 'fallback_id': string|null, 'fallback_seconds': int, 'enabled': bool, 'state': string, 'detail': string, 'state_since': string, 'seen_at': string|null, 'url': string}
     */
    public function postPrinters(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/printers", self::withObjects($body, ["output"]), [], $options);
    }

    /**
     * Delete a printer: DELETE /printers/{printer_id}
     *
     * @return array{}
     */
    public function deletePrintersByPrinterId(string|int $printer_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/printers/" . rawurlencode((string) $printer_id), null, [], $options);
    }

    /**
     * One printer: GET /printers/{printer_id}
     *
     * @return array{'id': string, 'site_id': string, 'name': string, 'way': string, 'agent_id': string|null, 'output': array<string, mixed>, 'language': string, 'profile': string, 'width_mm': int, 'code_page': string|null, 'checks': bool, 'stations': list<string>, 'bills': bool, 'copies': int, 'fallback_id': string|null, 'fallback_seconds': int, 'enabled': bool, 'state': string, 'detail': string, 'state_since': string, 'seen_at': string|null, 'url': string}
     */
    public function getPrintersByPrinterId(string|int $printer_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/printers/" . rawurlencode((string) $printer_id), null, [], $options);
    }

    /**
     * Update a printer: PATCH /printers/{printer_id}
     *
     * @param array{'name'?: string|null, 'agent_id'?: string|null, 'output'?: array<string, mixed>|null, 'language'?: string|null, 'profile'?: string|null, 'width_mm'?: int|null, 'code_page'?: string|null, 'checks'?: bool|null, 'stations'?: list<string>|null, 'bills'?: bool|null, 'copies'?: int|null, 'fallback_id'?: string|null, 'fallback_seconds'?: int|null, 'enabled'?: bool|null} $body
     * @return array{'id': string, 'site_id': string, 'name': string, 'way': string, 'agent_id': string|null, 'output': array<string, mixed>, 'language': string, 'profile': string, 'width_mm': int, 'code_page': string|null, 'checks': bool, 'stations': list<string>, 'bills': bool, 'copies': int, 'fallback_id': string|null, 'fallback_seconds': int, 'enabled': bool, 'state': string, 'detail': string, 'state_since': string, 'seen_at': string|null, 'url': string}
     */
    public function patchPrintersByPrinterId(string|int $printer_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/printers/" . rawurlencode((string) $printer_id), self::withObjects($body, ["output"]), [], $options);
    }

    /**
     * Print test ticket: POST /printers/{printer_id}/test
     *
     * @return array{'id': string}
     */
    public function postPrintersByPrinterIdTest(string|int $printer_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/printers/" . rawurlencode((string) $printer_id) . "/test", null, [], $options);
    }

    /**
     * Get conversations, orders and revenue by ad: GET /reports/ads
     *
     * @param array{since?: mixed, until?: mixed, instance_id?: mixed} $query
     * @return array{'since': string, 'until': string, 'currency': string, 'ads': list<array{'source_id': string, 'source_type': string, 'source_url': string, 'headline': string, 'conversations': int, 'orders': int|null, 'spent': string|null}>}
     */
    public function getReportsAds(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/reports/ads", null, $query, $options);
    }

    /**
     * Get response times by day, member and label: GET /reports/response-times
     *
     * @param array{since?: mixed, until?: mixed} $query
     * @return array{'since': string, 'until': string, 'total': array{'cases': int, 'answered': int, 'closed': int, 'reply_median': int|null, 'reply_p90': int|null, 'close_median': int|null, 'close_p90': int|null, 'ratings': int, 'satisfaction': int|null}, 'days': list<array{'cases': int, 'answered': int, 'closed': int, 'reply_median': int|null, 'reply_p90': int|null, 'close_median': int|null, 'close_p90': int|null, 'ratings': int, 'satisfaction': int|null, 'day': string}>, 'members': list<array{'cases': int, 'answered': int, 'closed': int, 'reply_median': int|null, 'reply_p90': int|null, 'close_median': int|null, 'close_p90': int|null, 'ratings': int, 'satisfaction': int|null, 'person_id': string, 'name': string}>, 'labels': list<array{'cases': int, 'answered': int, 'closed': int, 'reply_median': int|null, 'reply_p90': int|null, 'close_median': int|null, 'close_p90': int|null, 'ratings': int, 'satisfaction': int|null, 'label_id': string, 'name': string}>}
     */
    public function getReportsResponseTimes(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/reports/response-times", null, $query, $options);
    }

    /**
     * List restaurants: GET /sites
     *
     * @return array{'data': list<array{'id': string, 'name': string, 'slug': string, 'host': string, 'host_pending'?: string, 'prefix': string, 'currency': string, 'time_zone': string, 'country': string, 'languages': list<string>, 'address': string, 'phone': string, 'latitude': float|null, 'longitude': float|null, 'line_id': int|null, 'hours': array<string, mixed>, 'special_days': list<array{'starts_on': string, 'ends_on'?: string, 'hours'?: list<list<string>>, 'name'?: string}>, 'day_starts': string, 'order_types': list<string>, 'payment_methods': list<string>, 'tax_included': bool, 'service_percent': float, 'applied_service_percent': float, 'service_order_types': list<string>, 'tip_percents': list<int>, 'told_states': list<string>, 'accept_minutes': int, 'guest_cancel_minutes': int, 'preparation_minutes': int, 'delivery_minutes': int, 'later_days': int, 'slot_orders': int|null, 'slot_minutes': array<string, mixed>, 'slot_order_types': list<string>, 'kitchen_warn_minutes': int, 'kitchen_late_minutes': int, 'prints_ticket_codes': bool, 'shows_promise': bool, 'feedback_minutes': int, 'review_url': string, 'orders_in_words': bool, 'manager_phone': string, 'tone': string, 'menu_id': string|null, 'menu_url': string, 'takes_orders': bool, 'paused_until': string|null, 'created_at': string}>, 'next': null}
     */
    public function getSites(array $options = []): array
    {
        return $this->transport()->call("GET", "/sites", null, [], $options);
    }

    /**
     * Add a restaurant: POST /sites
     *
     * @param array{'name': string, 'slug': string, 'prefix': string, 'currency': string, 'time_zone': string, 'country': string, 'languages': list<string>} $body
     * @return array{'id': string, 'name': string, 'slug': string, 'host': string, 'host_pending'?: string, 'prefix': string, 'currency': string, 'time_zone': string, 'country': string, 'languages': list<string>, 'address': string, 'phone': string, 'latitude': float|null, 'longitude': float|null, 'line_id': int|null, 'hours': array<string, mixed>, 'special_days': list<array{'starts_on': string, 'ends_on'?: string, 'hours'?: list<list<string>>, 'name'?: string}>, 'day_starts': string, 'order_types': list<string>, 'payment_methods': list<string>, 'tax_included': bool, 'service_percent': float, 'applied_service_percent': float, 'service_order_types': list<string>, 'tip_percents': list<int>, 'told_states': list<string>, 'accept_minutes': int, 'guest_cancel_minutes': int, 'preparation_minutes': int, 'delivery_minutes': int, 'later_days': int, 'slot_orders': int|null, 'slot_minutes': array<string, mixed>, 'slot_order_types': list<string>, 'kitchen_warn_minutes': int, 'kitchen_late_minutes': int, 'prints_ticket_codes': bool, 'shows_promise': bool, 'feedback_minutes': int, 'review_url': string, 'orders_in_words': bool, 'manager_phone': string, 'tone': string, 'menu_id': string|null, 'menu_url': string, 'takes_orders': bool, 'paused_until': string|null, 'created_at': string}
     */
    public function postSites(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/sites", $body, [], $options);
    }

    /**
     * Get a restaurant: GET /sites/{site_id}
     *
     * @return array{'id': string, 'name': string, 'slug': string, 'host': string, 'host_pending'?: string, 'prefix': string, 'currency': string, 'time_zone': string, 'country': string, 'languages': list<string>, 'address': string, 'phone': string, 'latitude': float|null, 'longitude': float|null, 'line_id': int|null, 'hours': array<string, mixed>, 'special_days': list<array{'starts_on': string, 'ends_on'?: string, 'hours'?: list<list<string>>, 'name'?: string}>, 'day_starts': string, 'order_types': list<string>, 'payment_methods': list<string>, 'tax_included': bool, 'service_percent': float, 'applied_service_percent': float, 'service_order_types': list<string>, 'tip_percents': list<int>, 'told_states': list<string>, 'accept_minutes': int, 'guest_cancel_minutes': int, 'preparation_minutes': int, 'delivery_minutes': int, 'later_days': int, 'slot_orders': int|null, 'slot_minutes': array<string, mixed>, 'slot_order_types': list<string>, 'kitchen_warn_minutes': int, 'kitchen_late_minutes': int, 'prints_ticket_codes': bool, 'shows_promise': bool, 'feedback_minutes': int, 'review_url': string, 'orders_in_words': bool, 'manager_phone': string, 'tone': string, 'menu_id': string|null, 'menu_url': string, 'takes_orders': bool, 'paused_until': string|null, 'created_at': string}
     */
    public function getSitesBySiteId(string|int $site_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/sites/" . rawurlencode((string) $site_id), null, [], $options);
    }

    /**
     * Change it: PATCH /sites/{site_id}
     *
     * @param array{'name'?: string|null, 'host'?: string|null, 'prefix'?: string|null, 'currency'?: string|null, 'time_zone'?: string|null, 'country'?: string|null, 'languages'?: list<string>|null, 'address'?: string|null, 'phone'?: string|null, 'latitude'?: float|string|null, 'longitude'?: float|string|null, 'line_id'?: int|null, 'hours'?: array<string, mixed>|null, 'special_days'?: list<array{'starts_on': string, 'ends_on'?: string, 'hours'?: list<list<string>>, 'name'?: string}>|null, 'day_starts'?: string|null, 'order_types'?: list<string>|null, 'payment_methods'?: list<string>|null, 'tax_included'?: bool|null, 'service_percent'?: float|string|null, 'service_order_types'?: list<string>|null, 'tip_percents'?: list<int>|null, 'told_states'?: list<string>|null, 'accept_minutes'?: int|null, 'guest_cancel_minutes'?: int|null, 'preparation_minutes'?: int|null, 'delivery_minutes'?: int|null, 'later_days'?: int|null, 'slot_orders'?: int|null, 'slot_minutes'?: array<string, mixed>|null, 'slot_order_types'?: list<string>|null, 'kitchen_warn_minutes'?: int|null, 'kitchen_late_minutes'?: int|null, 'prints_ticket_codes'?: bool|null, 'shows_promise'?: bool|null, 'feedback_minutes'?: int|null, 'review_url'?: string|null, 'orders_in_words'?: bool|null, 'manager_phone'?: string|null, 'tone'?: string|null, 'menu_id'?: string|null} $body
     * @return array{'id': string, 'name': string, 'slug': string, 'host': string, 'host_pending'?: string, 'prefix': string, 'currency': string, 'time_zone': string, 'country': string, 'languages': list<string>, 'address': string, 'phone': string, 'latitude': float|null, 'longitude': float|null, 'line_id': int|null, 'hours': array<string, mixed>, 'special_days': list<array{'starts_on': string, 'ends_on'?: string, 'hours'?: list<list<string>>, 'name'?: string}>, 'day_starts': string, 'order_types': list<string>, 'payment_methods': list<string>, 'tax_included': bool, 'service_percent': float, 'applied_service_percent': float, 'service_order_types': list<string>, 'tip_percents': list<int>, 'told_states': list<string>, 'accept_minutes': int, 'guest_cancel_minutes': int, 'preparation_minutes': int, 'delivery_minutes': int, 'later_days': int, 'slot_orders': int|null, 'slot_minutes': array<string, mixed>, 'slot_order_types': list<string>, 'kitchen_warn_minutes': int, 'kitchen_late_minutes': int, 'prints_ticket_codes': bool, 'shows_promise': bool, 'feedback_minutes': int, 'review_url': string, 'orders_in_words': bool, 'manager_phone': string, 'tone': string, 'menu_id': string|null, 'menu_url': string, 'takes_orders': bool, 'paused_until': string|null, 'created_at': string}
     */
    public function patchSitesBySiteId(string|int $site_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/sites/" . rawurlencode((string) $site_id), self::withObjects($body, ["hours", "slot_minutes"]), [], $options);
    }

    /**
     * Pause or resume orders: POST /sites/{site_id}/pause
     *
     * @param array{'until'?: string|null} $body
     * @return array{'id': string, 'name': string, 'slug': string, 'host': string, 'host_pending'?: string, 'prefix': string, 'currency': string, 'time_zone': string, 'country': string, 'languages': list<string>, 'address': string, 'phone': string, 'latitude': float|null, 'longitude': float|null, 'line_id': int|null, 'hours': array<string, mixed>, 'special_days': list<array{'starts_on': string, 'ends_on'?: string, 'hours'?: list<list<string>>, 'name'?: string}>, 'day_starts': string, 'order_types': list<string>, 'payment_methods': list<string>, 'tax_included': bool, 'service_percent': float, 'applied_service_percent': float, 'service_order_types': list<string>, 'tip_percents': list<int>, 'told_states': list<string>, 'accept_minutes': int, 'guest_cancel_minutes': int, 'preparation_minutes': int, 'delivery_minutes': int, 'later_days': int, 'slot_orders': int|null, 'slot_minutes': array<string, mixed>, 'slot_order_types': list<string>, 'kitchen_warn_minutes': int, 'kitchen_late_minutes': int, 'prints_ticket_codes': bool, 'shows_promise': bool, 'feedback_minutes': int, 'review_url': string, 'orders_in_words': bool, 'manager_phone': string, 'tone': string, 'menu_id': string|null, 'menu_url': string, 'takes_orders': bool, 'paused_until': string|null, 'created_at': string}
     */
    public function postSitesBySiteIdPause(string|int $site_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/sites/" . rawurlencode((string) $site_id) . "/pause", $body, [], $options);
    }

    /**
     * List sold-out items: GET /sites/{site_id}/sold-out
     *
     * @return array{'data': list<array<string, mixed>>, 'next': null}
     */
    public function getSitesBySiteIdSoldOut(string|int $site_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/sites/" . rawurlencode((string) $site_id) . "/sold-out", null, [], $options);
    }

    /**
     * Mark an item as sold out or available: POST /sites/{site_id}/sold-out
     *
     * @param array{'id': string, 'sold_out'?: bool, 'until'?: string|null} $body
     * @return array{'data': list<array<string, mixed>>, 'next': null}
     */
    public function postSitesBySiteIdSoldOut(string|int $site_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/sites/" . rawurlencode((string) $site_id) . "/sold-out", $body, [], $options);
    }

    /**
     * List the items that are counted: GET /sites/{site_id}/stock
     *
     * @return array{'data': list<array{'item_id': string, 'left': int}>, 'next': null}
     */
    public function getSitesBySiteIdStock(string|int $site_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/sites/" . rawurlencode((string) $site_id) . "/stock", null, [], $options);
    }

    /**
     * Enter how many pieces of an item are left: POST /sites/{site_id}/stock
     *
     * @param array{'item_id': string, 'left'?: int|null} $body
     * @return array{'data': list<array{'item_id': string, 'left': int}>, 'next': null}
     */
    public function postSitesBySiteIdStock(string|int $site_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/sites/" . rawurlencode((string) $site_id) . "/stock", $body, [], $options);
    }

    /**
     * List free times for orders: GET /sites/{site_id}/times
     *
     * @param array{order_type?: mixed} $query
     * @return array{'now': bool, 'minutes': int, 'data': list<string>, 'next': null}
     */
    public function getSitesBySiteIdTimes(string|int $site_id, array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/sites/" . rawurlencode((string) $site_id) . "/times", null, $query, $options);
    }

    /**
     * Where items are made: GET /stations
     *
     * @param array{site_id?: mixed} $query
     * @return array{'data': list<array{'site_id': string, 'code': string, 'name': string}>, 'next': null}
     */
    public function getStations(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/stations", null, $query, $options);
    }

    /**
     * Add a station: POST /stations
     *
     * @param array{'site_id': string, 'code': string, 'name': string} $body
     * @return array{'site_id': string, 'code': string, 'name': string}
     */
    public function postStations(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/stations", $body, [], $options);
    }

    /**
     * A restaurant's tables: GET /tables
     *
     * @param array{site_id?: mixed} $query
     * @return array{'data': list<array{'id': string, 'site_id': string, 'area_id': string|null, 'number': string, 'seats': int, 'url': string}>, 'next': null}
     */
    public function getTables(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/tables", null, $query, $options);
    }

    /**
     * Add tables: POST /tables
     *
     * @param array{'site_id': string, 'numbers': string, 'area_id'?: string|null, 'seats'?: int} $body
     * @return array{'data': list<array{'id': string, 'site_id': string, 'area_id': string|null, 'number': string, 'seats': int, 'url': string}>, 'next': null}
     */
    public function postTables(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/tables", $body, [], $options);
    }

    /**
     * Delete a table: DELETE /tables/{table_id}
     *
     * @return array{}
     */
    public function deleteTablesByTableId(string|int $table_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/tables/" . rawurlencode((string) $table_id), null, [], $options);
    }

    /**
     * Replace a table's code: POST /tables/{table_id}/rotate
     *
     * @return array{'id': string, 'site_id': string, 'area_id': string|null, 'number': string, 'seats': int, 'url': string}
     */
    public function postTablesByTableIdRotate(string|int $table_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/tables/" . rawurlencode((string) $table_id) . "/rotate", null, [], $options);
    }

    /**
     * List tabs: GET /tabs
     *
     * @param array{limit?: mixed, after?: mixed, site_id?: mixed, status?: mixed} $query
     * @return array{'data': list<array{'id': string, 'status': string, 'site_id': string, 'table_number': string, 'opened_at': string, 'ended_at': string|null, 'test': bool}>, 'next': string|null}
     */
    public function getTabs(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/tabs", null, $query, $options);
    }

    /**
     * One tab: GET /tabs/{tab_id}
     *
     * @return array{'id': string, 'status': string, 'site': array{'id': string, 'name': string}, 'table_number': string, 'currency': string, 'total_amount': float, 'paid_amount': float, 'reserved_amount': float, 'open_amount': float, 'orders': list<string>, 'shares': list<array{'id': string, 'tab_id': string, 'guest': string, 'kind': string, 'amount': float, 'tip': float, 'surplus': float, 'status': string, 'reference': string, 'payment_link_id': string}>, 'opened_at': string, 'ended_at': string|null, 'test': bool, 'items': list<array{'order_id': string, 'name': string, 'quantity': int, 'amount': float, 'guest': string, 'status': string}>}
     */
    public function getTabsByTabId(string|int $tab_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/tabs/" . rawurlencode((string) $tab_id), null, [], $options);
    }

    /**
     * Close it: POST /tabs/{tab_id}/close
     *
     * @return array{'id': string, 'status': string, 'site': array{'id': string, 'name': string}, 'table_number': string, 'currency': string, 'total_amount': float, 'paid_amount': float, 'reserved_amount': float, 'open_amount': float, 'orders': list<string>, 'shares': list<array{'id': string, 'tab_id': string, 'guest': string, 'kind': string, 'amount': float, 'tip': float, 'surplus': float, 'status': string, 'reference': string, 'payment_link_id': string}>, 'opened_at': string, 'ended_at': string|null, 'test': bool, 'items': list<array{'order_id': string, 'name': string, 'quantity': int, 'amount': float, 'guest': string, 'status': string}>}
     */
    public function postTabsByTabIdClose(string|int $tab_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/tabs/" . rawurlencode((string) $tab_id) . "/close", null, [], $options);
    }

    /**
     * Move it to another table: POST /tabs/{tab_id}/move
     *
     * @param array{'table_number': string} $body
     * @return array{'id': string, 'status': string, 'site': array{'id': string, 'name': string}, 'table_number': string, 'currency': string, 'total_amount': float, 'paid_amount': float, 'reserved_amount': float, 'open_amount': float, 'orders': list<string>, 'shares': list<array{'id': string, 'tab_id': string, 'guest': string, 'kind': string, 'amount': float, 'tip': float, 'surplus': float, 'status': string, 'reference': string, 'payment_link_id': string}>, 'opened_at': string, 'ended_at': string|null, 'test': bool, 'items': list<array{'order_id': string, 'name': string, 'quantity': int, 'amount': float, 'guest': string, 'status': string}>}
     */
    public function postTabsByTabIdMove(string|int $tab_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/tabs/" . rawurlencode((string) $tab_id) . "/move", $body, [], $options);
    }

    /**
     * Record a payment at the till: POST /tabs/{tab_id}/payments
     *
     * @param array{'method': string, 'amount'?: float|null, 'tip'?: float|null} $body
     * @return array{'id': string, 'status': string, 'site': array{'id': string, 'name': string}, 'table_number': string, 'currency': string, 'total_amount': float, 'paid_amount': float, 'reserved_amount': float, 'open_amount': float, 'orders': list<string>, 'shares': list<array{'id': string, 'tab_id': string, 'guest': string, 'kind': string, 'amount': float, 'tip': float, 'surplus': float, 'status': string, 'reference': string, 'payment_link_id': string}>, 'opened_at': string, 'ended_at': string|null, 'test': bool, 'items': list<array{'order_id': string, 'name': string, 'quantity': int, 'amount': float, 'guest': string, 'status': string}>}
     */
    public function postTabsByTabIdPayments(string|int $tab_id, array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/tabs/" . rawurlencode((string) $tab_id) . "/payments", $body, [], $options);
    }

    /**
     * List templates: GET /templates
     *
     * @param array{limit?: mixed, after?: mixed, state?: mixed, category?: mixed, name?: mixed, instance_id?: mixed} $query
     * @return array{'data': list<array{'id': string, 'name': string, 'language': string, 'category': string, 'state': string, 'reason': string, 'quality': string, 'next_category': string, 'body': string, 'preview': string, 'places': list<string>, 'components': list<array<string, mixed>>, 'instance_ids': list<int>, 'changed_at': string, 'synced_at': string}>, 'next': string|null}
     */
    public function getTemplates(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/templates", null, $query, $options);
    }

    /**
     * Create a template: POST /templates
     *
     * @param array{'category'?: string|null, 'header'?: array{'type': string, 'text'?: string, 'example'?: string, 'media_id'?: string|null}|null, 'body'?: string, 'examples'?: array<string, mixed>|list<string>, 'footer'?: string, 'buttons'?: list<array{'type': string, 'text'?: string, 'url'?: string, 'example'?: string, 'phone'?: string, 'otp_type'?: string, 'autofill_text'?: string, 'apps'?: list<array{'package_name': string, 'signature_hash': string}>, 'terms_accepted'?: bool}>, 'add_security_recommendation'?: bool, 'code_expiration_minutes'?: int|null, 'name': string, 'language': string, 'instance_id'?: int|null} $body
     * @return array{'id': string, 'name': string, 'language': string, 'category': string, 'state': string, 'reason': string, 'quality': string, 'next_category': string, 'body': string, 'preview': string, 'places': list<string>, 'components': list<array<string, mixed>>, 'instance_ids': list<int>, 'changed_at': string, 'synced_at': string, 'findings': list<array{'severity': string, 'field': string, 'code': string, 'message': string}>}
     */
    public function postTemplates(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/templates", self::withObjects($body, ["header"]), [], $options);
    }

    /**
     * Check a template without creating it: POST /templates/check
     *
     * @param array{'category'?: string|null, 'header'?: array{'type': string, 'text'?: string, 'example'?: string, 'media_id'?: string|null}|null, 'body'?: string, 'examples'?: array<string, mixed>|list<string>, 'footer'?: string, 'buttons'?: list<array{'type': string, 'text'?: string, 'url'?: string, 'example'?: string, 'phone'?: string, 'otp_type'?: string, 'autofill_text'?: string, 'apps'?: list<array{'package_name': string, 'signature_hash': string}>, 'terms_accepted'?: bool}>, 'add_security_recommendation'?: bool, 'code_expiration_minutes'?: int|null, 'name'?: string, 'language': string} $body
     * @return array{'findings': list<array{'severity': string, 'field': string, 'code': string, 'message': string}>}
     */
    public function postTemplatesCheck(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/templates/check", self::withObjects($body, ["header"]), [], $options);
    }

    /**
     * Delete a template: DELETE /templates/{template_id}
     *
     * @return array{}
     */
    public function deleteTemplatesByTemplateId(string|int $template_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/templates/" . rawurlencode((string) $template_id), null, [], $options);
    }

    /**
     * Get a template: GET /templates/{template_id}
     *
     * @return array{'id': string, 'name': string, 'language': string, 'category': string, 'state': string, 'reason': string, 'quality': string, 'next_category': string, 'body': string, 'preview': string, 'places': list<string>, 'components': list<array<string, mixed>>, 'instance_ids': list<int>, 'changed_at': string, 'synced_at': string, 'findings': list<array{'severity': string, 'field': string, 'code': string, 'message': string}>}
     */
    public function getTemplatesByTemplateId(string|int $template_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/templates/" . rawurlencode((string) $template_id), null, [], $options);
    }

    /**
     * Update a template: PATCH /templates/{template_id}
     *
     * @param array{'category'?: string|null, 'header'?: array{'type': string, 'text'?: string, 'example'?: string, 'media_id'?: string|null}|null, 'body'?: string, 'examples'?: array<string, mixed>|list<string>, 'footer'?: string, 'buttons'?: list<array{'type': string, 'text'?: string, 'url'?: string, 'example'?: string, 'phone'?: string, 'otp_type'?: string, 'autofill_text'?: string, 'apps'?: list<array{'package_name': string, 'signature_hash': string}>, 'terms_accepted'?: bool}>, 'add_security_recommendation'?: bool, 'code_expiration_minutes'?: int|null} $body
     * @return array{'id': string, 'name': string, 'language': string, 'category': string, 'state': string, 'reason': string, 'quality': string, 'next_category': string, 'body': string, 'preview': string, 'places': list<string>, 'components': list<array<string, mixed>>, 'instance_ids': list<int>, 'changed_at': string, 'synced_at': string, 'findings': list<array{'severity': string, 'field': string, 'code': string, 'message': string}>}
     */
    public function patchTemplatesByTemplateId(string|int $template_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/templates/" . rawurlencode((string) $template_id), self::withObjects($body, ["header"]), [], $options);
    }

    /**
     * Duplicate a template: POST /templates/{template_id}/duplicate
     *
     * @param array{'name'?: string|null, 'language'?: string|null} $body
     * @return array{'id': string, 'name': string, 'language': string, 'category': string, 'state': string, 'reason': string, 'quality': string, 'next_category': string, 'body': string, 'preview': string, 'places': list<string>, 'components': list<array<string, mixed>>, 'instance_ids': list<int>, 'changed_at': string, 'synced_at': string, 'findings': list<array{'severity': string, 'field': string, 'code': string, 'message': string}>}
     */
    public function postTemplatesByTemplateIdDuplicate(string|int $template_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/templates/" . rawurlencode((string) $template_id) . "/duplicate", $body, [], $options);
    }

    /**
     * Reset the test clock: DELETE /test/clock
     *
     * @return array{'now': string, 'advanced_seconds': int, 'test': bool}
     */
    public function deleteTestClock(array $options = []): array
    {
        return $this->transport()->call("DELETE", "/test/clock", null, [], $options);
    }

    /**
     * Get the test clock: GET /test/clock
     *
     * @return array{'now': string, 'advanced_seconds': int, 'test': bool}
     */
    public function getTestClock(array $options = []): array
    {
        return $this->transport()->call("GET", "/test/clock", null, [], $options);
    }

    /**
     * Advance the test clock: POST /test/clock
     *
     * @param array{'advance_seconds': int} $body
     * @return array{'now': string, 'advanced_seconds': int, 'test': bool}
     */
    public function postTestClock(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/test/clock", $body, [], $options);
    }

    /**
     * Make something happen in test mode: POST /test/triggers
     *
     * @param array{'trigger': string, 'phone'?: string, 'name'?: string, 'text'?: string, 'site_id'?: string} $body
     * @return array{'trigger': string, 'events': list<string>, 'id': string|null, 'test': bool, 'warnings'?: list<string>}
     */
    public function postTestTriggers(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/test/triggers", $body, [], $options);
    }

    /**
     * Get message counts by day and line: GET /usage
     *
     * @param array{since?: mixed, until?: mixed, instance_id?: mixed} $query
     * @return array{'since': string, 'until': string, 'total': array{'sent': int, 'delivered': int, 'read': int, 'failed': int, 'received': int, 'cost_usd': float}, 'data': list<array{'day': string, 'instance_id': int, 'sent': int, 'delivered': int, 'read': int, 'failed': int, 'received': int, 'cost_usd': float}>}
     */
    public function getUsage(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/usage", null, $query, $options);
    }

    /**
     * Get costs by day, line, country and category: GET /usage/costs
     *
     * @param array{since?: mixed, until?: mixed, instance_id?: mixed} $query
     * @return array{'since': string, 'until': string, 'total_usd': float, 'data': list<array{'day': string, 'instance_id': int, 'country': string, 'category': string, 'messages': int, 'cost_usd': float}>, 'free': list<array{'instance_id': int, 'category': string, 'reason': string, 'messages': int}>}
     */
    public function getUsageCosts(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/usage/costs", null, $query, $options);
    }

    /**
     * List endpoints: GET /webhooks
     *
     * @return array{'data': list<array{'id': string, 'url': string, 'events': list<string>, 'description': string, 'instance_ids': list<int>, 'filters': list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>, 'header_names': list<string>, 'ordered': bool, 'enabled': bool, 'health': string, 'disabled_because': string|null, 'failing_since': string|null, 'last_success_at': string|null, 'old_secret_until': string|null, 'test': bool, 'created_at': string, 'warnings'?: list<string>}>, 'next': null}
     */
    public function getWebhooks(array $options = []): array
    {
        return $this->transport()->call("GET", "/webhooks", null, [], $options);
    }

    /**
     * Register an endpoint: POST /webhooks
     *
     * @param array{'url': string, 'events': list<string>, 'description'?: string|null, 'instance_ids'?: list<int>|null, 'filters'?: list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>|null, 'headers'?: array<string, mixed>|null, 'ordered'?: bool|null} $body
     * @return array{'id': string, 'url': string, 'events': list<string>, 'description': string, 'instance_ids': list<int>, 'filters': list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>, 'header_names': list<string>, 'ordered': bool, 'enabled': bool, 'health': string, 'disabled_because': string|null, 'failing_since': string|null, 'last_success_at': string|null, 'old_secret_until': string|null, 'test': bool, 'created_at': string, 'warnings'?: list<string>, 'secret': string}
     */
    public function postWebhooks(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/webhooks", self::withObjects($body, ["headers"]), [], $options);
    }

    /**
     * List deliveries: GET /webhooks/deliveries
     *
     * @param array{limit?: mixed, after?: mixed, endpoint_id?: mixed, event_id?: mixed, event?: mixed, state?: mixed, since?: mixed, until?: mixed} $query
     * @return array{'data': list<array{'id': string, 'endpoint_id': string, 'event_id': string, 'event': string, 'sequence': int, 'cause': string, 'state': string, 'attempts': int, 'next_attempt_at': string|null, 'status': int|null, 'error': string|null, 'created_at': string}>, 'next': string|null}
     */
    public function getWebhooksDeliveries(array $query = [], array $options = []): array
    {
        return $this->transport()->call("GET", "/webhooks/deliveries", null, $query, $options);
    }

    /**
     * Get a delivery with its attempts: GET /webhooks/deliveries/{delivery_id}
     *
     * @return array{'id': string, 'endpoint_id': string, 'event_id': string, 'event': string, 'sequence': int, 'cause': string, 'state': string, 'attempts': int, 'next_attempt_at': string|null, 'status': int|null, 'error': string|null, 'created_at': string, 'tries': list<array{'number': int, 'at': string, 'duration_ms': int, 'status': int|null, 'error': string|null, 'answer': string}>, 'body': array<string, mixed>|null}
     */
    public function getWebhooksDeliveriesByDeliveryId(string|int $delivery_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/webhooks/deliveries/" . rawurlencode((string) $delivery_id), null, [], $options);
    }

    /**
     * Send a delivery again: POST /webhooks/deliveries/{delivery_id}/retry
     *
     * @return array{'id': string, 'endpoint_id': string, 'event_id': string, 'event': string, 'sequence': int, 'cause': string, 'state': string, 'attempts': int, 'next_attempt_at': string|null, 'status': int|null, 'error': string|null, 'created_at': string}
     */
    public function postWebhooksDeliveriesByDeliveryIdRetry(string|int $delivery_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/webhooks/deliveries/" . rawurlencode((string) $delivery_id) . "/retry", null, [], $options);
    }

    /**
     * Send the events of a time range again: POST /webhooks/replay
     *
     * @param array{'since': string, 'until'?: string|null, 'endpoint_id'?: string|null, 'only_missed'?: bool} $body
     * @return array{'replayed': int, 'warnings'?: list<string>}
     */
    public function postWebhooksReplay(array $body, array $options = []): array
    {
        return $this->transport()->call("POST", "/webhooks/replay", $body, [], $options);
    }

    /**
     * Delete an endpoint: DELETE /webhooks/{endpoint_id}
     *
     * @return array{}
     */
    public function deleteWebhooksByEndpointId(string|int $endpoint_id, array $options = []): array
    {
        return $this->transport()->call("DELETE", "/webhooks/" . rawurlencode((string) $endpoint_id), null, [], $options);
    }

    /**
     * Get an endpoint: GET /webhooks/{endpoint_id}
     *
     * @return array{'id': string, 'url': string, 'events': list<string>, 'description': string, 'instance_ids': list<int>, 'filters': list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>, 'header_names': list<string>, 'ordered': bool, 'enabled': bool, 'health': string, 'disabled_because': string|null, 'failing_since': string|null, 'last_success_at': string|null, 'old_secret_until': string|null, 'test': bool, 'created_at': string, 'warnings'?: list<string>}
     */
    public function getWebhooksByEndpointId(string|int $endpoint_id, array $options = []): array
    {
        return $this->transport()->call("GET", "/webhooks/" . rawurlencode((string) $endpoint_id), null, [], $options);
    }

    /**
     * Update an endpoint: PATCH /webhooks/{endpoint_id}
     *
     * @param array{'url'?: string|null, 'events'?: list<string>|null, 'description'?: string|null, 'instance_ids'?: list<int>|null, 'filters'?: list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>|null, 'headers'?: array<string, mixed>|null, 'ordered'?: bool|null, 'enabled'?: bool|null} $body
     * @return array{'id': string, 'url': string, 'events': list<string>, 'description': string, 'instance_ids': list<int>, 'filters': list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>, 'header_names': list<string>, 'ordered': bool, 'enabled': bool, 'health': string, 'disabled_because': string|null, 'failing_since': string|null, 'last_success_at': string|null, 'old_secret_until': string|null, 'test': bool, 'created_at': string, 'warnings'?: list<string>}
     */
    public function patchWebhooksByEndpointId(string|int $endpoint_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("PATCH", "/webhooks/" . rawurlencode((string) $endpoint_id), self::withObjects($body, ["headers"]), [], $options);
    }

    /**
     * Rotate an endpoint's secret: POST /webhooks/{endpoint_id}/rotate
     *
     * @param array{'overlap_hours'?: float} $body
     * @return array{'id': string, 'url': string, 'events': list<string>, 'description': string, 'instance_ids': list<int>, 'filters': list<array{'field': string, 'op': string, 'value': string|float|bool|list<string|float|bool|null>|null}>, 'header_names': list<string>, 'ordered': bool, 'enabled': bool, 'health': string, 'disabled_because': string|null, 'failing_since': string|null, 'last_success_at': string|null, 'old_secret_until': string|null, 'test': bool, 'created_at': string, 'warnings'?: list<string>, 'secret': string}
     */
    public function postWebhooksByEndpointIdRotate(string|int $endpoint_id, array $body = [], array $options = []): array
    {
        return $this->transport()->call("POST", "/webhooks/" . rawurlencode((string) $endpoint_id) . "/rotate", $body, [], $options);
    }

    /**
     * Send test event: POST /webhooks/{endpoint_id}/test
     *
     * @return array{'id': string, 'endpoint_id': string, 'event_id': string, 'event': string, 'sequence': int, 'cause': string, 'state': string, 'attempts': int, 'next_attempt_at': string|null, 'status': int|null, 'error': string|null, 'created_at': string}
     */
    public function postWebhooksByEndpointIdTest(string|int $endpoint_id, array $options = []): array
    {
        return $this->transport()->call("POST", "/webhooks/" . rawurlencode((string) $endpoint_id) . "/test", null, [], $options);
    }
}
