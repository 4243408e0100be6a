// Made from the OpenAPI document by `make clients`. Do not edit.

import type { CallOptions, Transport } from "./transport.js";

export type AdFigures = { source_id: string; source_type: string; source_url: string; headline: string; conversations: number; orders: number | null; spent: string | null };

export type AdReportAnswer = { since: string; until: string; currency: string; ads: Array<AdFigures> };

export type AgentFields = { name: string };

export type AgentPage = { data: Array<AgentShape>; next: null };

export type AgentShape = { id: string; site_id: string; name: string; version: string; online: boolean; seen_at: string | null; paired_at: string; found: Array<Record<string, unknown>> };

export type Ask = { id: string; next?: string; choices?: Array<Choice>; save_as?: string; minutes?: number; no_answer?: string; kind: "ask"; answer?: "buttons" | "list" | "location" | "number" | "photo" | "text"; text?: string; list_button?: string };

export type Assign = { courier_id?: string | null; version?: number | null };

export type AssignedData = { conversation_id: string; contact_id?: string | null; assigned_to: string | null; by: string | null; test?: boolean | null; automatic: boolean };

export type AttemptShape = { number: number; at: string; duration_ms: number; status: number | null; error: string | null; answer: string };

export type AudienceChange = { name?: string | null; filters?: FilterFacts | null };

export type AudienceFacts = { name: string; filters?: FilterFacts };

export type AudiencePage = { data: Array<AudienceShape>; next: string | null };

export type AudienceShape = { id: string; name: string; filters: Record<string, unknown>; created_at: string; changed_at: string };

export type AudioMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; media_id?: string | null; url?: string | null; type: "audio" };

export type AudioRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; media_id?: string | null; url?: string | null; type: "audio" };

export type AutomationPage = { data: Array<AutomationShape>; next: string | null };

export type AutomationShape = { id: string; recipe: string; trigger: string; name: string; enabled: boolean; connection_id: string | null; instance_id: number | null; delay_minutes: number; conditions: Record<string, unknown>; message: string; template: Record<string, unknown> | null; card: Record<string, unknown> | null; marketing: boolean; created_at: string; changed_at: string };

export type BalanceShape = { contact_id: string; site_id: string; balance: number; visits: number; first_at: string; last_at: string };

export type Button = { id: string; title: string };

export type ButtonShape = { text: string; url: string };

export type ButtonsMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; header?: Header | string | null; footer?: string | null; buttons: Array<Button>; type: "buttons" };

export type ButtonsRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; header?: Header | string | null; footer?: string | null; buttons: Array<Button>; type: "buttons" };

export type CallUrl = { id: string; next?: string; kind: "call_url"; url?: string; save_as?: string; failed?: string };

export type CampaignData = { campaign_id: string; name: string; state: string; started_at: string | null; finished_at: string | null; test: boolean; recipients: number; sent: number; delivered: number; read: number; failed: number; left_out: number; stopped: number; cost_usd: number | string };

export type CampaignEffect = { campaign_id: string; holdout_percent: number; follow_days: number; currency: string; groups: Array<EffectGroup>; comparisons: Array<EffectComparison> };

export type CampaignFacts = { name?: string | null; audience_id?: string | null; filters?: FilterFacts | null; instance_id?: number | null; message?: string | null; card?: CardFacts | null; template?: TemplateFacts | null; gift?: string | null; quiet_hours?: Quiet | null; rest_days?: number | null; follow_days?: number | null; holdout_percent?: number | null; weight?: number | null; variants?: Array<VariantFacts> | null; stand_in?: TemplateFacts | null; count_clicks?: boolean | null };

export type CampaignFinishedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number | null; data: CampaignData; [name: string]: unknown };

export type CampaignPage = { data: Array<CampaignShape>; next: string | null };

export type CampaignShape = { id: string; name: string; state: string; because: string; audience_id: string | null; filters: Record<string, unknown>; instance_id: number | null; message: string; card: Record<string, unknown> | null; template: Record<string, unknown> | null; gift: string | null; quiet_hours: Record<string, string> | null; rest_days: number; follow_days: number; holdout_percent: number; weight: number; variants: Array<Record<string, unknown>>; stand_in: Record<string, unknown> | null; replaced: Array<string>; count_clicks: boolean; test: boolean; results: Counts; scheduled_at: string | null; started_at: string | null; finished_at: string | null; created_at: string; changed_at: string };

export type Cancel = { reason: string };

export type CancelCoupon = { reason: string };

export type CardAddress = { street?: string | null; city?: string | null; state?: string | null; zip?: string | null; country?: string | null; country_code?: string | null; type?: string | null };

export type CardEmail = { email: string; type?: string | null };

export type CardFacts = { kind: "buttons" | "link_button" | "list"; buttons?: Array<string>; list_button?: string; rows?: Array<string>; link_text?: string; link_url?: string };

export type CardLink = { text: string; url: string };

export type CardPhone = { phone: string; type?: string | null; wa_id?: string | null };

export type CardUrl = { url: string; type?: string | null };

export type CarouselCard = { image?: FileReference | null; video?: FileReference | null; body?: string | null; buttons?: Array<Button> | null; link?: CardLink | null };

export type CarouselMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; cards: Array<CarouselCard>; type: "carousel" };

export type CarouselRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; cards: Array<CarouselCard>; type: "carousel" };

export type CatalogMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; footer?: string | null; product_id?: string | null; type: "catalog" };

export type CatalogRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; footer?: string | null; product_id?: string | null; type: "catalog" };

export type CategoryIn = { texts: Record<string, Record<string, string>>; available?: Record<string, Array<Array<string>>>; hidden?: boolean; course?: number };

export type CategoryShape = { id: string; texts: Record<string, Record<string, string>>; available: Record<string, unknown>; hidden: boolean; course: number; position: number };

export type Change = { status_code: string; at: string; cause: string };

export type ChangePage = { data: Array<ChangeShape>; next: null };

export type ChangeShape = { at: string; what: string; status: string; by: string; because: string };

export type Charge = { amount: number | string; description?: string | null };

export type CheckedInstance = { id: number; name: string; kind: string; network: string; phone: string; state: string; state_because: string; state_at: string; enabled: boolean; is_default: boolean; test: boolean; messages_per_second: number; fallback_instance_id: number | null; created_at: string; can: Record<string, "as_text" | "no" | "yes">; quality: string | null; recipient_limit: RecipientLimitShape | null; direct_send: "blocked" | "limited" | "not_enabled" | "off" | "on"; webhook: LineWebhookShape | null; problems: Array<LineProblemShape> };

export type CheckedTemplate = { id: string; name: string; language: string; category: string; state: string; reason: string; quality: string; next_category: string; body: string; preview: string; places: Array<string>; components: Array<Record<string, unknown>>; instance_ids: Array<number>; changed_at: string; synced_at: string; findings: Array<TemplateFinding> };

export type Choice = { title: string; description?: string; next?: string };

export type ClockAdvance = { advance_seconds: number };

export type ClockShape = { now: string; advanced_seconds: number; test: boolean };

export type CodeShape = { code: string; expires_at: string };

export type ConnectionPage = { data: Array<ConnectionShape>; next: null };

export type ConnectionShape = { id: string; kind: string; name: string; enabled: boolean; state: string; refused: number; first_event_at: string | null; last_event_at: string | null; created_at: string };

export type Consent = { source: string; at?: string | null };

export type ContactCardFields = { name: string; first_name?: string | null; middle_name?: string | null; last_name?: string | null; prefix?: string | null; suffix?: string | null; phones?: Array<CardPhone>; emails?: Array<CardEmail>; urls?: Array<CardUrl>; addresses?: Array<CardAddress>; company?: string | null; department?: string | null; title?: string | null; birthday?: string | null };

export type ContactFacts = { name?: string | null; phone?: string | null; language?: string | null; tags?: Array<string> | null; birthday?: string | null; fields?: Record<string, unknown> | null; opted_out?: boolean | null; blocked?: boolean | null; consent?: Consent | null };

export type ContactPage = { data: Array<ContactShape>; next: string | null };

export type ContactRequestMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; type: "contact_request" };

export type ContactRequestRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; type: "contact_request" };

export type ContactShape = { id: string; name: string; profile_name: string; username: string | null; phone: string | null; identities: Array<IdentityShape>; language: string; tags: Array<string>; birthday: string | null; fields: Record<string, unknown>; consent: Record<string, unknown> | null; opted_out: boolean; opted_out_at: string | null; blocked: boolean; first_seen_at: string | null; last_seen_at: string | null; orders: number; visits: number; spent: number; warnings?: Array<string> };

export type ContactsMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; contacts: Array<ContactCardFields>; type: "contacts" };

export type ContactsRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; contacts: Array<ContactCardFields>; type: "contacts" };

export type ConversationAssignedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: AssignedData; [name: string]: unknown };

export type ConversationChange = { state?: "closed" | "open" | null; assigned_to?: string | null; unread?: 0 | 1 | null; labels?: Array<string> | null; snoozed_until?: string | null };

export type ConversationClosedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: ConversationData; [name: string]: unknown };

export type ConversationData = { conversation_id: string; contact_id?: string | null; assigned_to: string | null; by: string | null; test?: boolean | null };

export type ConversationPage = { data: Array<ConversationShape>; next: string | null };

export type ConversationRatedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: RatedData; [name: string]: unknown };

export type ConversationRead = { typing?: boolean };

export type ConversationReopenedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: ReopenedData; [name: string]: unknown };

export type ConversationShape = { id: string; instance_id: number; contact_id: string; name: string; username: string | null; phone: string | null; state: "closed" | "open"; unread: number; assigned_to: string | null; window_until: string | null; handled_by: string; labels: Array<string>; snoozed_until: string | null; last_at: string; last_message: LastMessage };

export type ConversationSnoozedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: SnoozedData; [name: string]: unknown };

export type Correction = { site_id: string; amount: number; reason: string };

export type CostShape = { day: string; instance_id: number; country: string; category: string; messages: number; cost_usd: number };

export type CostsAnswer = { since: string; until: string; total_usd: number; data: Array<CostShape>; free: Array<FreeShape> };

export type Counts = { people: number; recipients: number; holdout: number; clicked: number; link_clicks: number; visited: number; carts: number; link_orders: number; link_spent: string; waiting: number; sent: number; delivered: number; read: number; replied: number; tapped: number; failed: number; opted_out: number; left_out: number; stopped: number; ordered: number; orders: number; spent: string; currency: string; cost_usd: number; reasons: Record<string, number>; causes: Record<string, number>; taps: Record<string, number> };

export type CouponPage = { data: Array<CouponShape>; next: string | null };

export type CouponShape = { id: string; code: string; status: string; reward_id: string; terms: Record<string, unknown>; contact_id: string | null; source: string; issued_at: string; expires_at: string; used_at: string | null; order_id: string | null; discount: number | null };

export type CourierFields = { name?: string | null; phone?: string | null; language?: string | null; active?: boolean | null };

export type CourierLinkShape = { url: string; expires_at: string };

export type CourierPage = { data: Array<CourierShape>; next: null };

export type CourierShape = { id: string; site_id: string; name: string; phone: string; language: string; active: boolean; created_at: string };

export type CourierUpdate = { status: "delivered" | "picked_up" | "problem"; problem?: "accident" | "no_answer" | "other" | "refused" | "wrong_address" | null; note?: string };

export type CreatedTenant = { id: number; name: string; reference: string | null; state: string; plan: string; created_at: string; suspended_at: string | null; suspended_because: string | null; owner_invitation_url: string | null };

export type CustomerShape = { phone?: string; name?: string };

export type DayFigures = { cases: number; answered: number; closed: number; reply_median: number | null; reply_p90: number | null; close_median: number | null; close_p90: number | null; ratings: number; satisfaction: number | null; day: string };

export type DayShape = { day: string; instance_id: number; sent: number; delivered: number; read: number; failed: number; received: number; cost_usd: number };

export type DecidedMessageData = { id: string; to: string; timestamp: number; decision: string; decided_by: string | null; reference: string | null; app: string; test: boolean };

export type Definition = { when?: When; line_id?: number | null; hours?: Hours; steps?: Array<Say | MenuLink | Ask | TemplateStep | Wait | If | TagStep | HandOver | CallUrl | StoreUpdate | End> };

export type DeliveryPage = { data: Array<DeliveryShape>; next: string | null };

export type DeliveryShape = { id: string; endpoint_id: string; event_id: string; event: string; sequence: number; cause: string; state: string; attempts: number; next_attempt_at: string | null; status: number | null; error: string | null; created_at: string };

export type DeliveryUpdatedEvent = { order_id: string; order_type: string; table_number: string; waiter_assigned: string; customer: OrderCustomer; items: Array<OrderItemShape>; notes: string; total_amount: number; discount: number; payment_method: string; status: string; id: string; site: Record<string, string>; currency: string; address: string; delivery: OrderDeliveryShape | null; paid: boolean; paid_amount: number; open_amount: number; placed_at: string; due_at?: string; promised_at: string | null; promise_minutes: number | null; test: boolean; event: string; event_id: string; occurred_at: string; sequence: number; change: string; courier: EventCourier; [name: string]: unknown };

export type DeliveryWithAttempts = { id: string; endpoint_id: string; event_id: string; event: string; sequence: number; cause: string; state: string; attempts: number; next_attempt_at: string | null; status: number | null; error: string | null; created_at: string; tries: Array<AttemptShape>; body: Record<string, unknown> | null };

export type Discount = { amount: number | string; description?: string | null; program?: string | null };

export type DocumentMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; media_id?: string | null; url?: string | null; caption?: string | null; filename?: string | null; type: "document" };

export type DocumentRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; media_id?: string | null; url?: string | null; caption?: string | null; filename?: string | null; type: "document" };

export type DryRun = { people: number; recipients: number; holdout: number; left_out: Record<string, number>; cost_usd: number; seconds: number; days: number; recipient_limit: number | null; asleep: number; previews: Array<PreviewShape>; warnings: Array<string>; problem: string | null };

export type DuplicateTemplate = { name?: string | null; language?: string | null };

export type EchoData = { to: string; to_kind: string; message_id: string; timestamp: number; type: string; id: string; sent_from: string; text?: string | null; media?: Record<string, unknown> | null };

export type EffectComparison = { variant: string; people: number; extra_orders: number; extra_orders_low: number; extra_orders_high: number; extra_spent: string; extra_spent_low: string; extra_spent_high: string; cost_usd: number; verdict: string };

export type EffectGroup = { variant: string; people: number; sent: number; clicked: number; link_clicks: number; buyers: number; conversion_percent: number; orders: number; spent: string; cost_usd: number };

export type End = { id: string; next?: string; kind: "end" };

export type EndpointChange = { url?: string | null; events?: Array<string> | null; description?: string | null; instance_ids?: Array<number> | null; filters?: Array<EventFilterShape> | null; headers?: Record<string, string> | null; ordered?: boolean | null; enabled?: boolean | null };

export type EndpointPage = { data: Array<EndpointShape>; next: null };

export type EndpointShape = { id: string; url: string; events: Array<string>; description: string; instance_ids: Array<number>; filters: Array<EventFilterShape>; header_names: Array<string>; ordered: boolean; enabled: boolean; health: string; disabled_because: string | null; failing_since: string | null; last_success_at: string | null; old_secret_until: string | null; test: boolean; created_at: string; warnings?: Array<string> };

export type EndpointWithSecret = { id: string; url: string; events: Array<string>; description: string; instance_ids: Array<number>; filters: Array<EventFilterShape>; header_names: Array<string>; ordered: boolean; enabled: boolean; health: string; disabled_because: string | null; failing_since: string | null; last_success_at: string | null; old_secret_until: string | null; test: boolean; created_at: string; warnings?: Array<string>; secret: string };

export type EntryShape = { id: string; site_id: string; amount: number; kind: string; order_id: string | null; coupon_id: string | null; because: string; by: string; at: string };

export type ErasureShape = { id: string; contact_id: string; status_code: string; step: string; erased: number; asked_at: string; done_at: string | null };

export type ErrorBody = { status?: string; code: string; message: string; errors: Array<Fault>; request_id: string; [name: string]: unknown };

export type EventCourier = { id: string; name: string; phone: string; assigned_at: string | null; picked_up_at: string | null; delivered_at: string | null; problem: string; problem_note: string; problem_at: string | null; collected: number | null; collected_by: string };

export type EventFilterShape = { field: string; op: "==" | ">" | "in"; value: string | number | boolean | Array<string | number | boolean | null> | null };

export type EventPage = { data: Array<EventShape>; next: string | null; last_sequence: number };

export type EventPrintJob = { id: string; title: string; printer_id: string | null; site_id: string | null; order_id: string; kind: string; state: string; detail: string };

export type EventPrinter = { id: string; name: string; site_id: string | null; state: string; detail: string };

export type EventShape = { event: string; event_id: string; occurred_at: string; sequence: number; [name: string]: unknown };

export type EventShare = { id: string; tab_id: string; guest: string; kind: string; amount: number; tip: number };

export type Exchange = { site_id: string; reward_id: string };

export type Expiration = { at: string; text: string };

export type Fault = { field: string; code: string; message: string };

export type FieldList = { data: Array<FieldShape>; next: null };

export type FieldShape = { id: string; name: string; kind: string; choices: Array<string> };

export type FileReference = { media_id?: string | null; url?: string | null };

export type FilterFacts = { tags?: Array<string> | null; without_tags?: Array<string> | null; languages?: Array<string> | null; birthday_within_days?: number | null; consent?: boolean | null; seen_within_days?: number | null; not_messaged_days?: number | null; site_id?: string | null; ordered_within_days?: number | null; not_ordered_days?: number | null; orders_at_least?: number | null; orders_at_most?: number | null; spent_at_least?: string | null };

export type FlowMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; header?: Header | string | null; footer?: string | null; text: string; flow_id?: string | null; flow_name?: string | null; token?: string | null; action?: "data_exchange" | "navigate"; screen?: string | null; data?: Record<string, unknown> | null; mode?: "draft" | "published"; type: "flow" };

export type FlowRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; header?: Header | string | null; footer?: string | null; text: string; flow_id?: string | null; flow_name?: string | null; token?: string | null; action?: "data_exchange" | "navigate"; screen?: string | null; data?: Record<string, unknown> | null; mode?: "draft" | "published"; type: "flow" };

export type FreeShape = { instance_id: number; category: string; reason: string; messages: number };

export type GroupIn = { texts: Record<string, Record<string, string>>; least?: number; most?: number; free?: number; options: Array<OptionIn> };

export type GroupShape = { id: string; texts: Record<string, Record<string, string>>; least: number; most: number; free: number; options: Array<Record<string, unknown>> };

export type HandOver = { id: string; next?: string; kind: "hand_over"; note?: string; member?: string };

export type HappyHourIn = { id?: string; texts: Record<string, Record<string, string>>; hours: Record<string, Array<Array<string>>>; percent?: string; price?: string; categories?: Array<string>; items?: Array<string>; order_types?: Array<string>; active?: boolean };

export type HappyHours = { data: Array<HappyHourIn> };

export type HappyHoursShape = { data: Array<Record<string, unknown>>; next: null };

export type Header = { text?: string | null; image?: FileReference | null; video?: FileReference | null; document?: FileReference | null };

export type HeaderLocation = { latitude: number; longitude: number; name: string; address: string };

export type HeldMessageData = { id: string; to: string; timestamp: number; status_code: string; reference: string | null; app: string; for_person: string; type: string; text: string; expires_at: string; test: boolean };

export type Hours = { days?: Array<number>; opens?: string; closes?: string };

export type IdentityShape = { kind: string; value: string };

export type If = { id: string; next?: string; kind: "if"; what?: "answer" | "latest_order" | "open" | "ordered" | "tag"; name?: string; value?: string; then?: string; otherwise?: string };

export type ImageMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; media_id?: string | null; url?: string | null; caption?: string | null; type: "image" };

export type ImageRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; media_id?: string | null; url?: string | null; caption?: string | null; type: "image" };

export type ImportRequest = { contacts?: Array<ImportRow> | null; csv?: string | null; country?: string | null; tags?: Array<string> | null; consent_source?: string | null; update?: boolean; dry_run?: boolean };

export type ImportRow = { phone?: string | null; network_id?: string | null; username?: string | null; name?: string | null; language?: string | null; tags?: Array<string> | null; birthday?: string | null; note?: string | null; consent?: boolean | null; consent_source?: string | null };

export type ImportShape = { id: string; status_code: string; rows: number; position: number; created: number; updated: number; repeated: number; rejected: number; consent_given: number; consent_refused: number; consent_unclear: number; error: string | null; warnings?: Array<string> };

export type InboundMessageData = { from: string; from_kind: string; sender_name: string; message_id: string; timestamp: number; type: string; id: string; contact_id?: string | null; username?: string | null; network_id?: string | null; text?: string | null; media?: Record<string, unknown> | null; location?: Record<string, unknown> | null; contacts?: Record<string, unknown> | null; button?: Record<string, unknown> | null; reaction?: Record<string, unknown> | null; reply_to?: unknown; forwarded?: boolean | null; referral?: Record<string, string> | null; referred_product?: Record<string, string> | null; handled_by?: string | null };

export type InboundMessageEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: InboundMessageData; [name: string]: unknown };

export type InstanceChange = { name?: string | null; enabled?: boolean | null; account_id?: string | null; token?: string | null; app_secret?: string | null; direct_send?: "off" | "on" | null; fallback_instance_id?: number | null };

export type InstancePage = { data: Array<InstanceShape>; next: null };

export type InstanceShape = { id: number; name: string; kind: string; network: string; phone: string; state: string; state_because: string; state_at: string; enabled: boolean; is_default: boolean; test: boolean; messages_per_second: number; fallback_instance_id: number | null; created_at: string; can: Record<string, "as_text" | "no" | "yes">; quality: string | null; recipient_limit: RecipientLimitShape | null; direct_send: "blocked" | "limited" | "not_enabled" | "off" | "on" };

export type ItemIn = { category_id?: string | null; texts?: Record<string, Record<string, string>> | null; price?: string | null; tax_percent?: string | null; prices?: Record<string, OtherPrice> | null; code?: string | null; stations?: Array<string> | null; allergens?: Array<string> | null; diets?: Array<string> | null; synonyms?: Array<string> | null; available?: Record<string, Array<Array<string>>> | null; groups?: Array<string> | null; hidden?: boolean | null };

export type ItemShape = { id: string; category_id: string; code: string; texts: Record<string, Record<string, string>>; price: string; tax_percent: string; prices: Record<string, OtherPrice>; stations: Array<string>; allergens: Array<string>; diets: Array<string>; synonyms: Array<string>; photo: string; available: Record<string, unknown>; groups: Array<string>; hidden: boolean; position: number };

export type JobPage = { data: Array<JobShape>; next: string | null };

export type JobShape = { id: string; site_id: string; printer_id: string; kind: string; title: string; order_id: string; station: string; copy_number: number; state: string; detail: string; reprint_of: string | null; fallback_of: string | null; queued_at: string; settled_at: string | null; evidence: Array<Record<string, unknown>> };

export type JourneyDetail = { id: string; name: string; state: string; trigger: string | null; version: number; has_changes: boolean; definition: Definition; created_at: string; changed_at: string; problems: Array<JourneyProblem> };

export type JourneyFacts = { name: string; definition: Definition };

export type JourneyPage = { data: Array<JourneyShape>; next: string | null };

export type JourneyProblem = { step_id: string | null; code: string; message: string };

export type JourneyRunData = { run_id: string; journey_id: string; version: number; contact_id: string; reason: string | null; at: string; test?: boolean | null };

export type JourneyRunDetail = { id: string; journey_id: string; version: number; contact_id: string; instance_id: number; test: boolean; state: string; because: string; step: string; waits_for: string | null; due_at: string | null; started_at: string; ended_at: string | null; values: Record<string, string>; steps: Array<JourneyRunStepShape> };

export type JourneyRunEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: JourneyRunData; [name: string]: unknown };

export type JourneyRunPage = { data: Array<JourneyRunShape>; next: string | null };

export type JourneyRunRequest = { contact_id: string; instance_id?: number | null; values?: Record<string, string> };

export type JourneyRunShape = { id: string; journey_id: string; version: number; contact_id: string; instance_id: number; test: boolean; state: string; because: string; step: string; waits_for: string | null; due_at: string | null; started_at: string; ended_at: string | null };

export type JourneyRunStepShape = { visit: number; step: string; kind: string; note: string; answer: string; message_id: string | null; at: string };

export type JourneyShape = { id: string; name: string; state: string; trigger: string | null; version: number; has_changes: boolean; definition: Definition; created_at: string; changed_at: string };

export type KeyShape = { id: string; name: string; mode: string; scopes: Array<string>; instance_ids: Array<number> | null; expires_at: string | null };

export type LabelFigures = { cases: number; answered: number; closed: number; reply_median: number | null; reply_p90: number | null; close_median: number | null; close_p90: number | null; ratings: number; satisfaction: number | null; label_id: string; name: string };

export type LabelList = { data: Array<LabelShape> };

export type LabelShape = { id: string; name: string; colour: "blue" | "green" | "grey" | "orange" | "pink" | "purple" | "red" | "teal" };

export type LastMessage = { id: string; direction: string; type: string; text: string; status_code: string };

export type LimitsShape = { requests_per_second: number; burst: number; monthly_messages: number | null; spend_cap_usd: number | null; trial_ends_at: string | null; trial_messages_left: number | null };

export type LineProblemShape = { code: string; message: string };

export type LineStateData = { state: string; because: string; test?: boolean | null };

export type LineStateEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: LineStateData; [name: string]: unknown };

export type LineWebhookShape = { callback_url: string; verify_token: string };

export type LinkButtonMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; header?: Header | string | null; footer?: string | null; text: string; url: string; type: "link_button" };

export type LinkButtonRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; header?: Header | string | null; footer?: string | null; text: string; url: string; type: "link_button" };

export type LinkPage = { data: Array<LinkShape>; next: string | null };

export type LinkShape = { id: string; reference: string; status: string; url: string; amount: number; currency: string; description: string; site_id: string; order_id: string; expires_at: string; paid_at: string | null; error: string; created_at: string; test: boolean };

export type ListMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; header?: string | null; footer?: string | null; button: string; sections: Array<ListSection>; type: "list" };

export type ListRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; header?: string | null; footer?: string | null; button: string; sections: Array<ListSection>; type: "list" };

export type ListRow = { id: string; title: string; description?: string | null };

export type ListSection = { title?: string | null; rows: Array<ListRow> };

export type Located = { latitude: number; longitude: number; address?: string };

export type LocationMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; latitude: number; longitude: number; name?: string | null; address?: string | null; type: "location" };

export type LocationRequest = { phone: string; instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; fallback_template?: TemplateNamed | null; latitude: number; longitude: number; name?: string | null; address?: string | null };

export type LocationRequestMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; type: "location_request" };

export type LocationRequestRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; type: "location_request" };

export type LocationRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; latitude: number; longitude: number; name?: string | null; address?: string | null; type: "location" };

export type Made = { id: string };

export type ManagedTenant = { id: number; name: string; reference: string | null; state: string; plan: string; created_at: string; suspended_at: string | null; suspended_because: string | null };

export type ManagedTenantPage = { data: Array<ManagedTenant>; next: string | null };

export type Me = { tenant: TenantShape; plan: PlanShape; limits: LimitsShape; usage: UsageShape; key: KeyShape };

export type MediaRequest = { phone: string; instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; fallback_template?: TemplateNamed | null; media_url: string; type: "audio" | "document" | "image" | "video"; caption?: string | null; filename?: string | null };

export type MediaShape = { mime_type: string | null; url: string | null; size: number | null; sha256: string | null; caption: string | null; filename: string | null };

export type MemberFigures = { cases: number; answered: number; closed: number; reply_median: number | null; reply_p90: number | null; close_median: number | null; close_p90: number | null; ratings: number; satisfaction: number | null; person_id: string; name: string };

export type MemberPage = { data: Array<BalanceShape>; next: string | null };

export type MemberShape = { contact_id: string; balances: Array<BalanceShape>; entries: Array<EntryShape> };

export type MenuLink = { id: string; next?: string; kind: "menu_link"; text?: string; link_text?: string };

export type MenuPage = { data: Array<MenuShape>; next: null };

export type MenuShape = { id: string; name: string; currency: string; languages: Array<string>; version: number; published_at: string | null; has_changes: boolean };

export type MergeRequest = { other_id: string };

export type MessageDecidedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: DecidedMessageData; [name: string]: unknown };

export type MessageEchoEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: EchoData; [name: string]: unknown };

export type MessageHeldEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: HeldMessageData; [name: string]: unknown };

export type MessagePage = { data: Array<MessageShape>; next: string | null };

export type MessagePreview = { type: string; text: string; phone: string; instance_id: number; line_kind: string; sent_as: "as_text" | "yes"; category: string; cost_usd: number; test: boolean; body: Record<string, unknown> | null; warnings?: Array<string> };

export type MessageRequest = TextMessage | ImageMessage | VideoMessage | AudioMessage | VoiceMessage | DocumentMessage | StickerMessage | LocationMessage | ContactsMessage | ReactionMessage | ButtonsMessage | ListMessage | LinkButtonMessage | LocationRequestMessage | ContactRequestMessage | CatalogMessage | ProductMessage | ProductListMessage | CarouselMessage | FlowMessage | TemplateMessage | OrderDetailsMessage | OrderStatusMessage;

export type MessageShape = { id: string; message_id: string | null; direction: string; instance_id: number; phone: string; type: string; text: string; status_code: string; reference: string | null; cost_usd: number; free_reason: string | null; test: boolean; created_at: string; error: Record<string, unknown> | null; media: MediaShape | null; from_kind: string; location: Record<string, unknown> | null; contacts: Record<string, unknown> | null; order: Record<string, unknown> | null; button: Record<string, unknown> | null; reaction: Record<string, unknown> | null; interactive: Record<string, unknown> | null; reply_to: string | null; forwarded: boolean | null; referral: Record<string, string> | null; referred_product: Record<string, string> | null; handled_by: string | null; sent_from: string | null; edited_at: string | null; deleted_at: string | null; earlier_texts: Array<string> };

export type MessageStateData = { id: string; message_id: string | null; to: string; timestamp: number; status_code: string; reference: string | null; cost_usd: number; test: boolean; error?: StateError | null };

export type MessageStateEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: MessageStateData; [name: string]: unknown };

export type MessageUpdatedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: UpdatedMessageData; [name: string]: unknown };

export type MonthUsage = { tenant_id: number; reference: string | null; plan: string; messages: number; spend_usd: number };

export type Move = { status: "awaiting_confirmation" | "awaiting_payment" | "cancelled" | "closed" | "delivered" | "out_for_delivery" | "preparing" | "ready" | "refunded" | "scheduled" | "sent_to_kitchen" | "served"; version?: number | null; reason?: string };

export type NewCloudInstance = { name: string; phone: string; phone_number_id: string; account_id?: string | null; token: string; app_secret: string };

export type NewCode = { site_id: string };

export type NewCoupon = { reward_id: string; contact_id?: string; phone?: string; valid_days?: number | null };

export type NewCourier = { site_id: string; name: string; phone: string; language?: string };

export type NewEndpoint = { url: string; events: Array<string>; description?: string | null; instance_ids?: Array<number> | null; filters?: Array<EventFilterShape> | null; headers?: Record<string, string> | null; ordered?: boolean | null };

export type NewInstance = { kind?: "cloud" | "linked"; name: string; phone?: string | null; phone_number_id?: string | null; account_id?: string | null; token?: string | null; app_secret?: string | null };

export type NewLabel = { name: string; colour?: "blue" | "green" | "grey" | "orange" | "pink" | "purple" | "red" | "teal" };

export type NewLink = { order_id?: string; cart_code?: string; site_id?: string; amount?: number | null; description?: string; phone?: string; name?: string; send?: boolean; minutes?: number | null };

export type NewMenu = { name: string; currency: string; languages: Array<string> };

export type NewOrder = { site_id: string; order_type?: string; payment_method?: string; table_number?: string; customer?: CustomerShape; items: Array<OrderItemIn>; notes?: string; due_at?: string | null; coupon?: string; address?: string; latitude?: number | null; longitude?: number | null; zone_id?: string };

export type NewPrinter = { name: string; agent_id?: string | null; output?: Record<string, unknown> | null; language?: string | null; profile?: string | null; width_mm?: number | null; code_page?: string | null; checks?: boolean | null; stations?: Array<string> | null; bills?: boolean | null; copies?: number | null; fallback_id?: string | null; fallback_seconds?: number | null; enabled?: boolean | null; site_id: string; way: string };

export type NewRefund = { amount?: number | null; reason: string };

export type NewSite = { name: string; slug: string; prefix: string; currency: string; time_zone: string; country: string; languages: Array<string> };

export type NewStation = { site_id: string; code: string; name: string };

export type NewTables = { site_id: string; numbers: string; area_id?: string | null; seats?: number };

export type NewTemplate = { category?: "authentication" | "marketing" | "utility" | null; header?: TemplateHeaderFacts | null; body?: string; examples?: Record<string, string> | Array<string>; footer?: string; buttons?: Array<TemplateButtonFacts>; add_security_recommendation?: boolean; code_expiration_minutes?: number | null; name: string; language: string; instance_id?: number | null };

export type NewTenant = { name: string; plan?: string; reference?: string | null; locale?: "en" | "tr"; time_zone?: string; owner_email?: string | null };

export type NewTenantEndpoint = { url: string; events: Array<string>; description?: string | null; test?: boolean };

export type NewTenantKey = { name: string; mode?: "live" | "test"; scopes: Array<"campaigns" | "contacts" | "lines" | "menus" | "messages:read" | "messages:send" | "orders" | "payments" | "printers" | "usage" | "webhooks"> };

export type NewTrigger = { trigger: "guest.orders" | "guest.sends_contact" | "guest.sends_location" | "guest.sends_photo" | "guest.sends_voice" | "guest.writes" | "line.banned" | "line.quality_high" | "line.quality_low" | "line.restored"; phone?: string; name?: string; text?: string; site_id?: string };

export type NewZone = { name: string; kind?: "polygon" | "radius"; radius_m?: number | null; corners?: Array<Array<number>> | null; fee: number | string; minimum?: number | string | null; site_id: string };

export type NoteList = { data: Array<NoteShape>; next: null };

export type NoteRequest = { text: string };

export type NoteShape = { id: string; text: string; author: string; at: string };

export type OptedOutData = { contact_id: string; from: string | null; from_kind: string | null; timestamp: number };

export type OptedOutEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number | null; data: OptedOutData; [name: string]: unknown };

export type OptionIn = { id?: string | null; texts?: Record<string, Record<string, string>>; price?: string; preset?: boolean; removal?: boolean; item_id?: string | null };

export type OrderCancelledEvent = { order_id: string; order_type: string; table_number: string; waiter_assigned: string; customer: OrderCustomer; items: Array<OrderItemShape>; notes: string; total_amount: number; discount: number; payment_method: string; status: string; id: string; site: Record<string, string>; currency: string; address: string; delivery: OrderDeliveryShape | null; paid: boolean; paid_amount: number; open_amount: number; placed_at: string; due_at?: string; promised_at: string | null; promise_minutes: number | null; test: boolean; event: string; event_id: string; occurred_at: string; sequence: number; reason: string; [name: string]: unknown };

export type OrderCreatedEvent = { order_id: string; order_type: string; table_number: string; waiter_assigned: string; customer: OrderCustomer; items: Array<OrderItemShape>; notes: string; total_amount: number; discount: number; payment_method: string; status: string; id: string; site: Record<string, string>; currency: string; address: string; delivery: OrderDeliveryShape | null; paid: boolean; paid_amount: number; open_amount: number; placed_at: string; due_at?: string; promised_at: string | null; promise_minutes: number | null; test: boolean; event: string; event_id: string; occurred_at: string; sequence: number; [name: string]: unknown };

export type OrderCustomer = { phone?: string; name?: string; contact_id?: string | null };

export type OrderDeliveryShape = { fee: number; zone: string; latitude: number | null; longitude: number | null; route_url: string | null };

export type OrderDetailsMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference: string; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; body: string; header?: OrderImage | null; footer?: string | null; goods?: "digital" | "physical"; currency: string; items: Array<OrderItem>; tax?: Charge | null; shipping?: Charge | null; discount?: Discount | null; total?: number | string | null; expiration?: Expiration | null; payment_type?: string | null; payment_configuration?: string | null; payment_settings?: Array<Record<string, unknown>> | null; type: "order_details" };

export type OrderDetailsRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference: string; reply_to?: string | null; fallback_template?: TemplateFields | null; body: string; header?: OrderImage | null; footer?: string | null; goods?: "digital" | "physical"; currency: string; items: Array<OrderItem>; tax?: Charge | null; shipping?: Charge | null; discount?: Discount | null; total?: number | string | null; expiration?: Expiration | null; payment_type?: string | null; payment_configuration?: string | null; payment_settings?: Array<Record<string, unknown>> | null; type: "order_details" };

export type OrderImage = { image: FileReference };

export type OrderItem = { name: string; quantity?: number; amount: number | string; sale_amount?: number | string | null; product_id?: string | null };

export type OrderItemIn = { item_id: string; quantity?: number; options?: Array<string>; note?: string };

export type OrderItemShape = { name: string; quantity: number; unit_price: number; regular_price: number; options: Array<string>; station: string; stations: Array<string>; note: string; course: number; fired: boolean };

export type OrderPage = { data: Array<OrderShape>; next: string | null };

export type OrderShape = { order_id: string; order_type: string; table_number: string; waiter_assigned: string; customer: OrderCustomer; items: Array<OrderItemShape>; notes: string; total_amount: number; discount: number; payment_method: string; status: string; id: string; site: Record<string, string>; currency: string; address: string; delivery: OrderDeliveryShape | null; paid: boolean; paid_amount: number; open_amount: number; placed_at: string; due_at?: string; promised_at: string | null; promise_minutes: number | null; test: boolean; changed_at: string; version: number; sums: Record<string, unknown> };

export type OrderStatusMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference: string; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; status: "canceled" | "completed" | "partially_shipped" | "pending" | "processing" | "shipped"; description?: string | null; body?: string | null; type: "order_status" };

export type OrderStatusRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference: string; reply_to?: string | null; fallback_template?: TemplateFields | null; status: "canceled" | "completed" | "partially_shipped" | "pending" | "processing" | "shipped"; description?: string | null; body?: string | null; type: "order_status" };

export type OrderUpdatedEvent = { order_id: string; order_type: string; table_number: string; waiter_assigned: string; customer: OrderCustomer; items: Array<OrderItemShape>; notes: string; total_amount: number; discount: number; payment_method: string; status: string; id: string; site: Record<string, string>; currency: string; address: string; delivery: OrderDeliveryShape | null; paid: boolean; paid_amount: number; open_amount: number; placed_at: string; due_at?: string; promised_at: string | null; promise_minutes: number | null; test: boolean; event: string; event_id: string; occurred_at: string; sequence: number; change: string; added_items?: Array<OrderItemShape> | null; voided_items?: Array<OrderItemShape> | null; quantity?: number | null; table_was?: string | null; [name: string]: unknown };

export type OtherPrice = { price?: string; tax?: string };

export type PairingCodeData = { state: string; qr: string | null; code: string | null; expires_at: string };

export type PairingCodeEvent = { event: string; event_id: string; occurred_at: string; sequence: number; instance_id: number; data: PairingCodeData; [name: string]: unknown };

export type PairingRequest = { phone?: string | null };

export type PairingShape = { instance_id: number; state: string; qr: string | null; code: string | null; expires_at: string | null; phone: string; because: string };

export type PartnerShape = { id: string; name: string; plans: Array<PlanShape>; most_tenants: number };

export type Pause = { until?: string | null };

export type PaymentEvent = { event: string; event_id: string; occurred_at: string; sequence: number; id: string; reference: string; payment_link_id: string | null; order_id: string; amount: number; currency: string; refunded_amount: number; share?: EventShare | null; status: string; reason: string; surplus_amount: number; paid_at: string; test: boolean; [name: string]: unknown };

export type PaymentFailedEvent = { event: string; event_id: string; occurred_at: string; sequence: number; payment_link_id: string; reference: string; amount: number; currency: string; test: boolean; [name: string]: unknown };

export type PaymentList = { data: Array<PaymentShape>; next: null };

export type PaymentShape = { id: string; reference: string; payment_link_id: string | null; order_id: string; amount: number; currency: string; refunded_amount: number; status: string; reason: string; surplus_amount: number; share: PaymentShareShape | null; paid_at: string; test: boolean; refunds: Array<RefundShape> };

export type PaymentShareShape = { id: string; tab_id: string; guest: string; kind: string; amount: number; tip: number };

export type PlanChoice = { plan: string };

export type PlanShape = { code: string; name: string };

export type PreviewShape = { name: string; phone: string; message: string; header: string; header_media: string; footer: string; buttons: Array<ButtonShape>; choices: Array<string> };

export type PrintJobEvent = { event: string; event_id: string; occurred_at: string; sequence: number; job: EventPrintJob; [name: string]: unknown };

export type PrinterEvent = { event: string; event_id: string; occurred_at: string; sequence: number; printer: EventPrinter; [name: string]: unknown };

export type PrinterFields = { name?: string | null; agent_id?: string | null; output?: Record<string, unknown> | null; language?: string | null; profile?: string | null; width_mm?: number | null; code_page?: string | null; checks?: boolean | null; stations?: Array<string> | null; bills?: boolean | null; copies?: number | null; fallback_id?: string | null; fallback_seconds?: number | null; enabled?: boolean | null };

export type PrinterPage = { data: Array<PrinterShape>; next: null };

export type PrinterShape = { id: string; site_id: string; name: string; way: string; agent_id: string | null; output: Record<string, unknown>; language: string; profile: string; width_mm: number; code_page: string | null; checks: boolean; stations: Array<string>; bills: boolean; copies: number; fallback_id: string | null; fallback_seconds: number; enabled: boolean; state: string; detail: string; state_since: string; seen_at: string | null; url: string };

export type ProductListMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; catalog_id: string; header: string; body: string; footer?: string | null; sections: Array<ProductSection>; type: "product_list" };

export type ProductListRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; catalog_id: string; header: string; body: string; footer?: string | null; sections: Array<ProductSection>; type: "product_list" };

export type ProductMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; catalog_id: string; product_id: string; body?: string | null; footer?: string | null; type: "product" };

export type ProductRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; catalog_id: string; product_id: string; body?: string | null; footer?: string | null; type: "product" };

export type ProductSection = { title?: string | null; product_ids: Array<string> };

export type ProgrammeFields = { kind: "points" | "stamps"; active?: boolean; amount: number | string; points?: number; keywords?: Array<string>; gift_id?: string | null; quiet_from?: string; quiet_until?: string; worth?: number | null };

export type ProgrammePage = { data: Array<ProgrammeShape>; next: null };

export type ProgrammeShape = { site_id: string; kind: string; active: boolean; amount: number; points: number; keywords: Array<string>; gift_id: string | null; quiet_from: string; quiet_until: string };

export type Quiet = { since: string; until: string };

export type QuoteShape = { zone: ZoneShape | null; route_url: string };

export type RatedData = { conversation_id: string; contact_id?: string | null; assigned_to: string | null; by: string | null; test?: boolean | null; case_id: string; rating: number; best: number };

export type ReactionMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; to: Recipient; message_id: string; emoji: string; type: "reaction" };

export type ReactionRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; message_id: string; emoji: string; type: "reaction" };

export type Recipient = { phone?: string | null; contact_id?: string | null; conversation_id?: string | null };

export type RecipientLimitShape = { per_day: number | null; used: number | null };

export type RefundShape = { id: string; amount: number; reason: string; status: string; error: string; by: string; created_at: string };

export type RejectPage = { data: Array<RejectShape>; next: string | null };

export type RejectShape = { line: number; field: string; message: string; cells: Array<string> };

export type Renew = { minutes?: number | null };

export type ReopenedData = { conversation_id: string; contact_id?: string | null; assigned_to: string | null; by: string | null; test?: boolean | null; reason: "customer_wrote" | "member" | "snooze_ended" };

export type ReplayAnswer = { replayed: number; warnings?: Array<string> };

export type ReplayRequest = { since: string; until?: string | null; endpoint_id?: string | null; only_missed?: boolean };

export type ResponseFigures = { cases: number; answered: number; closed: number; reply_median: number | null; reply_p90: number | null; close_median: number | null; close_p90: number | null; ratings: number; satisfaction: number | null };

export type ResponseTimesAnswer = { since: string; until: string; total: ResponseFigures; days: Array<DayFigures>; members: Array<MemberFigures>; labels: Array<LabelFigures> };

export type ResultPage = { data: Array<ResultShape>; next: string | null };

export type ResultShape = { contact_id: string; name: string; phone: string; state: string; reason: string; variant: string; clicked_at: string | null; message_id: string | null; coupon: string; cost_usd: number; handed_at: string | null; replied_at: string | null; tapped: string; tapped_at: string | null; opted_out_at: string | null; orders: number; spent: string };

export type RewardFields = { name: string; kind: "amount" | "item" | "percent"; value?: number | string; most?: number | string | null; minimum?: number | string; currency?: string; item_id?: string; site_ids?: Array<string>; valid_days?: number; per_contact?: number; cost?: number | null; active?: boolean };

export type RewardPage = { data: Array<RewardShape>; next: null };

export type RewardShape = { id: string; name: string; kind: string; value: number; most: number | null; minimum: number; currency: string; item_id: string | null; item_name: string; site_ids: Array<string>; valid_days: number; per_contact: number; cost: number | null; active: boolean };

export type RideShape = { order_id: string; status: string; courier: Record<string, unknown> | null; collect: Record<string, unknown>; delivery: Record<string, unknown> | null };

export type RotateRequest = { overlap_hours?: number };

export type RoutedMessageRequest = TextRoutedMessage | ImageRoutedMessage | VideoRoutedMessage | AudioRoutedMessage | VoiceRoutedMessage | DocumentRoutedMessage | StickerRoutedMessage | LocationRoutedMessage | ContactsRoutedMessage | ReactionRoutedMessage | ButtonsRoutedMessage | ListRoutedMessage | LinkButtonRoutedMessage | LocationRequestRoutedMessage | ContactRequestRoutedMessage | CatalogRoutedMessage | ProductRoutedMessage | ProductListRoutedMessage | CarouselRoutedMessage | FlowRoutedMessage | TemplateRoutedMessage | OrderDetailsRoutedMessage | OrderStatusRoutedMessage;

export type RunPage = { data: Array<RunShape>; next: string | null };

export type RunShape = { id: string; connection_id: string; event: string | null; cause: string; state: string; because: string; phone: string; message_id: string | null; message_status_code: string | null; due_at: string | null; created_at: string; ended_at: string | null };

export type Say = { id: string; next?: string; kind: "say"; text?: string; link_text?: string; link_url?: string };

export type SendAnswer = { status: string; message_id: string | null; status_code: string; cost_usd: number; id: string; instance_id: number; phone: string; reference: string | null; test: boolean; warnings?: Array<string> };

export type SiteFields = { name?: string | null; host?: string | null; prefix?: string | null; currency?: string | null; time_zone?: string | null; country?: string | null; languages?: Array<string> | null; address?: string | null; phone?: string | null; latitude?: number | string | null; longitude?: number | string | null; line_id?: number | null; hours?: Record<string, Array<Array<string>>> | null; special_days?: Array<SpecialDay> | null; day_starts?: string | null; order_types?: Array<string> | null; payment_methods?: Array<string> | null; tax_included?: boolean | null; service_percent?: number | string | null; service_order_types?: Array<string> | null; tip_percents?: Array<number> | null; told_states?: Array<string> | null; accept_minutes?: number | null; guest_cancel_minutes?: number | null; preparation_minutes?: number | null; delivery_minutes?: number | null; later_days?: number | null; slot_orders?: number | null; slot_minutes?: Record<string, number> | null; slot_order_types?: Array<string> | null; kitchen_warn_minutes?: number | null; kitchen_late_minutes?: number | null; prints_ticket_codes?: boolean | null; shows_promise?: boolean | null; feedback_minutes?: number | null; review_url?: string | null; orders_in_words?: boolean | null; manager_phone?: string | null; tone?: string | null; menu_id?: string | null };

export type SitePage = { data: Array<SiteShape>; next: null };

export type SiteShape = { id: string; name: string; slug: string; host: string; host_pending?: string; prefix: string; currency: string; time_zone: string; country: string; languages: Array<string>; address: string; phone: string; latitude: number | null; longitude: number | null; line_id: number | null; hours: Record<string, unknown>; special_days: Array<SpecialDay>; day_starts: string; order_types: Array<string>; payment_methods: Array<string>; tax_included: boolean; service_percent: number; applied_service_percent: number; service_order_types: Array<string>; tip_percents: Array<number>; told_states: Array<string>; accept_minutes: number; guest_cancel_minutes: number; preparation_minutes: number; delivery_minutes: number; later_days: number; slot_orders: number | null; slot_minutes: Record<string, number>; slot_order_types: Array<string>; kitchen_warn_minutes: number; kitchen_late_minutes: number; prints_ticket_codes: boolean; shows_promise: boolean; feedback_minutes: number; review_url: string; orders_in_words: boolean; manager_phone: string; tone: string; menu_id: string | null; menu_url: string; takes_orders: boolean; paused_until: string | null; created_at: string };

export type SnoozedData = { conversation_id: string; contact_id?: string | null; assigned_to: string | null; by: string | null; test?: boolean | null; snoozed_until: string };

export type SoldOutIn = { id: string; sold_out?: boolean; until?: string | null };

export type SoldOutShape = { data: Array<Record<string, unknown>>; next: null };

export type SpecialDay = { starts_on: string; ends_on?: string; hours?: Array<Array<string>>; name?: string };

export type StartRequest = { at?: string | null };

export type StateError = { code: string; message: string | null };

export type StationPage = { data: Array<StationShape>; next: null };

export type StationShape = { site_id: string; code: string; name: string };

export type StickerMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; media_id?: string | null; url?: string | null; type: "sticker" };

export type StickerRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; media_id?: string | null; url?: string | null; type: "sticker" };

export type StockIn = { item_id: string; left?: number | null };

export type StockRow = { item_id: string; left: number };

export type StockShape = { data: Array<StockRow>; next: null };

export type StoreUpdate = { id: string; next?: string; kind: "store_update"; action?: "cancel" | "confirm"; tag?: string; failed?: string };

export type SupportedAppFacts = { package_name: string; signature_hash: string };

export type SuspendRequest = { reason?: string };

export type TabEvent = { id: string; status: string; site: TabSite; table_number: string; currency: string; total_amount: number; paid_amount: number; reserved_amount: number; open_amount: number; orders: Array<string>; shares: Array<TabShareShape>; opened_at: string; ended_at: string | null; test: boolean; event: string; event_id: string; occurred_at: string; sequence: number; [name: string]: unknown };

export type TabItemShape = { order_id: string; name: string; quantity: number; amount: number; guest: string; status: string };

export type TabMove = { table_number: string };

export type TabPage = { data: Array<TabRow>; next: string | null };

export type TabPaymentIn = { method: "card" | "cash"; amount?: number | null; tip?: number | null };

export type TabRow = { id: string; status: string; site_id: string; table_number: string; opened_at: string; ended_at: string | null; test: boolean };

export type TabShape = { id: string; status: string; site: TabSite; table_number: string; currency: string; total_amount: number; paid_amount: number; reserved_amount: number; open_amount: number; orders: Array<string>; shares: Array<TabShareShape>; opened_at: string; ended_at: string | null; test: boolean; items: Array<TabItemShape> };

export type TabShareShape = { id: string; tab_id: string; guest: string; kind: string; amount: number; tip: number; surplus: number; status: string; reference: string; payment_link_id: string };

export type TabSite = { id: string; name: string };

export type TablePage = { data: Array<TableShape>; next: null };

export type TableShape = { id: string; site_id: string; area_id: string | null; number: string; seats: number; url: string };

export type TagList = { data: Array<string>; next: null };

export type TagStep = { id: string; next?: string; kind: "tag"; tag?: string; remove?: boolean };

export type TemplateButtonFacts = { type: "copy_code" | "otp" | "phone" | "quick_reply" | "url"; text?: string; url?: string; example?: string; phone?: string; otp_type?: "copy_code" | "one_tap" | "zero_tap"; autofill_text?: string; apps?: Array<SupportedAppFacts>; terms_accepted?: boolean };

export type TemplateContent = { category?: "authentication" | "marketing" | "utility" | null; header?: TemplateHeaderFacts | null; body?: string; examples?: Record<string, string> | Array<string>; footer?: string; buttons?: Array<TemplateButtonFacts>; add_security_recommendation?: boolean; code_expiration_minutes?: number | null };

export type TemplateFacts = { name: string; language: string; parameters?: Array<string>; header?: string | null; header_url?: string | null; buttons?: Array<string | null>; header_location?: HeaderLocation | null };

export type TemplateFields = { name: string; language: string; parameters?: Array<string> | Record<string, unknown> };

export type TemplateFinding = { severity: "error" | "warning"; field: string; code: string; message: string };

export type TemplateFindings = { findings: Array<TemplateFinding> };

export type TemplateHeaderFacts = { type: "document" | "image" | "location" | "text" | "video"; text?: string; example?: string; media_id?: string | null };

export type TemplateMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; to: Recipient; name: string; language: string; parameters?: Array<string> | Record<string, unknown>; type: "template" };

export type TemplateNamed = { name: string; language: string; parameters?: Array<string> | Record<string, unknown> };

export type TemplatePage = { data: Array<TemplateShape>; next: string | null };

export type TemplateRequest = { phone: string; instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; name: string; language: string; parameters?: Array<string> | Record<string, unknown> };

export type TemplateRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; name: string; language: string; parameters?: Array<string> | Record<string, unknown>; type: "template" };

export type TemplateShape = { id: string; name: string; language: string; category: string; state: string; reason: string; quality: string; next_category: string; body: string; preview: string; places: Array<string>; components: Array<Record<string, unknown>>; instance_ids: Array<number>; changed_at: string; synced_at: string };

export type TemplateStep = { id: string; next?: string; choices?: Array<Choice>; save_as?: string; minutes?: number; no_answer?: string; kind: "template"; name?: string; language?: string; parameters?: Array<string> };

export type TemplateToCheck = { category?: "authentication" | "marketing" | "utility" | null; header?: TemplateHeaderFacts | null; body?: string; examples?: Record<string, string> | Array<string>; footer?: string; buttons?: Array<TemplateButtonFacts>; add_security_recommendation?: boolean; code_expiration_minutes?: number | null; name?: string; language: string };

export type TenantEndpointList = { data: Array<EndpointShape>; next: null };

export type TenantInstanceList = { data: Array<InstanceShape>; next: null };

export type TenantKeyList = { data: Array<TenantKeyShape>; next: null };

export type TenantKeyShape = { id: string; name: string; mode: string; prefix: string; scopes: Array<string>; state: string; created_at: string; last_used_at: string | null };

export type TenantKeyWithSecret = { id: string; name: string; mode: string; prefix: string; scopes: Array<string>; state: string; created_at: string; last_used_at: string | null; api_key: string };

export type TenantMonth = { month: string; messages: number; spend_usd: number };

export type TenantMonths = { data: Array<TenantMonth>; next: null };

export type TenantShape = { id: number; name: string; state: string };

export type TextMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; text: string; type: "text" };

export type TextRequest = { phone: string; instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; fallback_template?: TemplateNamed | null; message: string };

export type TextRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; text: string; type: "text" };

export type ThresholdData = { percent: number; of: string; used: number; limit: number };

export type ThresholdEvent = { event: string; event_id: string; occurred_at: string; sequence: number; data: ThresholdData; [name: string]: unknown };

export type Timeline = { data: Array<Change>; next: null };

export type TimesShape = { now: boolean; minutes: number; data: Array<string>; next: null };

export type TotalShape = { sent: number; delivered: number; read: number; failed: number; received: number; cost_usd: number };

export type TriggerAnswer = { trigger: string; events: Array<string>; id: string | null; test: boolean; warnings?: Array<string> };

export type UpdatedMessageData = { from?: string | null; from_kind?: string | null; to?: string | null; to_kind?: string | null; direction: string; message_id: string; id: string; timestamp: number; type: string; change: string; text: string; earlier_texts: Array<string>; transcript?: string | null };

export type UploadedMediaShape = { id: string; type: string; mime_type: string; filename: string; size: number; test: boolean; created_at: string };

export type UsageAnswer = { since: string; until: string; total: TotalShape; data: Array<DayShape> };

export type UsagePage = { month: string; data: Array<MonthUsage>; next: string | null };

export type UsageShape = { messages_this_month: number; spend_usd_this_month: number };

export type VariantFacts = { weight?: number; message?: string; template?: TemplateFacts | null };

export type VideoMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; media_id?: string | null; url?: string | null; caption?: string | null; type: "video" };

export type VideoRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; media_id?: string | null; url?: string | null; caption?: string | null; type: "video" };

export type VoiceMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; to: Recipient; media_id?: string | null; url?: string | null; type: "voice" };

export type VoiceRoutedMessage = { instance_id?: number | null; scheduled_at?: string | null; valid_for_seconds?: number | null; reference?: string | null; reply_to?: string | null; fallback_template?: TemplateFields | null; media_id?: string | null; url?: string | null; type: "voice" };

export type Wait = { id: string; next?: string; kind: "wait"; minutes?: number };

export type WebhookTestData = { endpoint_id: string; message: string; timestamp: number };

export type WebhookTestEvent = { event: string; event_id: string; occurred_at: string; sequence: number; data: WebhookTestData; [name: string]: unknown };

export type When = { kind?: "ad" | "api" | "cart" | "date" | "first_message" | "form" | "keyword" | "order_state" | "out_of_hours" | "store_order" | "tag"; words?: Array<string>; ad?: string; states?: Array<string>; tag?: string; date?: "" | "birthday" | "last_order"; days?: number; hour?: number; connection_id?: string };

export type WholeMenu = { id: string; name: string; currency: string; languages: Array<string>; version: number; published_at: string | null; has_changes: boolean; categories: Array<Record<string, unknown>>; items: Array<Record<string, unknown>>; groups: Array<Record<string, unknown>>; happy_hours: Array<Record<string, unknown>> };

export type ZoneFields = { name?: string | null; kind?: "polygon" | "radius" | null; radius_m?: number | null; corners?: Array<Array<number>> | null; fee?: number | string | null; minimum?: number | string | null };

export type ZonePage = { data: Array<ZoneShape>; next: null };

export type ZoneShape = { id: string; site_id: string; name: string; kind: string; radius_m: number | null; corners: Array<Array<number>>; fee: number; minimum: number };

export declare class Operations {
  constructor(transport: Transport);
  /** List audiences: `GET /audiences` */
  getAudiences(query?: { limit?: number | Date, after?: string | null | Date }, options?: CallOptions): Promise<AudiencePage>;
  /** Save an audience: `POST /audiences` */
  postAudiences(body: AudienceFacts, options?: CallOptions): Promise<AudienceShape>;
  /** Delete an audience: `DELETE /audiences/{audience_id}` */
  deleteAudiencesByAudienceId(audienceId: string | number, options?: CallOptions): Promise<void>;
  /** Get an audience: `GET /audiences/{audience_id}` */
  getAudiencesByAudienceId(audienceId: string | number, options?: CallOptions): Promise<AudienceShape>;
  /** Update an audience: `PATCH /audiences/{audience_id}` */
  patchAudiencesByAudienceId(audienceId: string | number, body?: AudienceChange, options?: CallOptions): Promise<AudienceShape>;
  /** List automations: `GET /automations` */
  getAutomations(query?: { limit?: number | Date, after?: string | null | Date }, options?: CallOptions): Promise<AutomationPage>;
  /** Get an automation: `GET /automations/{automation_id}` */
  getAutomationsByAutomationId(automationId: string | number, options?: CallOptions): Promise<AutomationShape>;
  /** List the runs of an automation: `GET /automations/{automation_id}/runs` */
  getAutomationsByAutomationIdRuns(automationId: string | number, query?: { limit?: number | Date, after?: string | null | Date, state?: string | null | Date }, options?: CallOptions): Promise<RunPage>;
  /** List campaigns: `GET /campaigns` */
  getCampaigns(query?: { limit?: number | Date, after?: string | null | Date, state?: "draft" | "finished" | "paused" | "running" | "scheduled" | "stopped" | null | Date }, options?: CallOptions): Promise<CampaignPage>;
  /** Make a campaign: `POST /campaigns` */
  postCampaigns(body?: CampaignFacts, options?: CallOptions): Promise<CampaignShape>;
  /** Delete a draft: `DELETE /campaigns/{campaign_id}` */
  deleteCampaignsByCampaignId(campaignId: string | number, options?: CallOptions): Promise<void>;
  /** Get a campaign: `GET /campaigns/{campaign_id}` */
  getCampaignsByCampaignId(campaignId: string | number, options?: CallOptions): Promise<CampaignShape>;
  /** Update a campaign: `PATCH /campaigns/{campaign_id}` */
  patchCampaignsByCampaignId(campaignId: string | number, body?: CampaignFacts, options?: CallOptions): Promise<CampaignShape>;
  /** Preview a campaign: `POST /campaigns/{campaign_id}/dry-run` */
  postCampaignsByCampaignIdDryRun(campaignId: string | number, options?: CallOptions): Promise<DryRun>;
  /** Get the extra orders of a campaign: `GET /campaigns/{campaign_id}/effect` */
  getCampaignsByCampaignIdEffect(campaignId: string | number, options?: CallOptions): Promise<CampaignEffect>;
  /** Pause it: `POST /campaigns/{campaign_id}/pause` */
  postCampaignsByCampaignIdPause(campaignId: string | number, options?: CallOptions): Promise<CampaignShape>;
  /** List the recipients of a campaign: `GET /campaigns/{campaign_id}/results` */
  getCampaignsByCampaignIdResults(campaignId: string | number, query?: { limit?: number | Date, after?: string | null | Date, state?: string | null | Date }, options?: CallOptions): Promise<ResultPage>;
  /** Continue: `POST /campaigns/{campaign_id}/resume` */
  postCampaignsByCampaignIdResume(campaignId: string | number, options?: CallOptions): Promise<CampaignShape>;
  /** Start it, now or later: `POST /campaigns/{campaign_id}/start` */
  postCampaignsByCampaignIdStart(campaignId: string | number, body?: StartRequest, options?: CallOptions): Promise<CampaignShape>;
  /** Stop it for good: `POST /campaigns/{campaign_id}/stop` */
  postCampaignsByCampaignIdStop(campaignId: string | number, options?: CallOptions): Promise<CampaignShape>;
  /** Back to a draft: `POST /campaigns/{campaign_id}/unschedule` */
  postCampaignsByCampaignIdUnschedule(campaignId: string | number, options?: CallOptions): Promise<CampaignShape>;
  /** List connections: `GET /connections` */
  getConnections(options?: CallOptions): Promise<ConnectionPage>;
  /** Get a connection: `GET /connections/{connection_id}` */
  getConnectionsByConnectionId(connectionId: string | number, options?: CallOptions): Promise<ConnectionShape>;
  /** List and find contacts: `GET /contacts` */
  getContacts(query?: { limit?: number | Date, after?: string | null | Date, search?: string | null | Date, tag?: Array<string> | Date, opted_out?: boolean | null | Date, blocked?: boolean | null | Date, consent?: boolean | null | Date, has_phone?: boolean | null | Date, language?: string | null | Date, seen_since?: string | null | Date }, options?: CallOptions): Promise<ContactPage>;
  /** Add a contact: `POST /contacts` */
  postContacts(body?: ContactFacts, options?: CallOptions): Promise<ContactShape>;
  /** Get the status of an erasure: `GET /contacts/erasures/{erasure_id}` */
  getContactsErasuresByErasureId(erasureId: string | number, options?: CallOptions): Promise<ErasureShape>;
  /** List custom contact fields: `GET /contacts/fields` */
  getContactsFields(options?: CallOptions): Promise<FieldList>;
  /** Import contacts: `POST /contacts/import` */
  postContactsImport(body?: ImportRequest, options?: CallOptions): Promise<ImportShape>;
  /** Get the status of an import: `GET /contacts/import/{import_id}` */
  getContactsImportByImportId(importId: string | number, options?: CallOptions): Promise<ImportShape>;
  /** List the rejected rows of an import: `GET /contacts/import/{import_id}/rejects` */
  getContactsImportByImportIdRejects(importId: string | number, query?: { limit?: number | Date, after?: string | null | Date }, options?: CallOptions): Promise<RejectPage>;
  /** Start an import after a dry run: `POST /contacts/import/{import_id}/start` */
  postContactsImportByImportIdStart(importId: string | number, options?: CallOptions): Promise<ImportShape>;
  /** Tags in use: `GET /contacts/tags` */
  getContactsTags(options?: CallOptions): Promise<TagList>;
  /** Delete a contact: `DELETE /contacts/{contact_id}` */
  deleteContactsByContactId(contactId: string | number, options?: CallOptions): Promise<void>;
  /** One contact: `GET /contacts/{contact_id}` */
  getContactsByContactId(contactId: string | number, options?: CallOptions): Promise<ContactShape>;
  /** Update a contact: `PATCH /contacts/{contact_id}` */
  patchContactsByContactId(contactId: string | number, body?: ContactFacts, options?: CallOptions): Promise<ContactShape>;
  /** Erase a contact permanently: `POST /contacts/{contact_id}/erase` */
  postContactsByContactIdErase(contactId: string | number, options?: CallOptions): Promise<ErasureShape>;
  /** Merge two contacts: `POST /contacts/{contact_id}/merge` */
  postContactsByContactIdMerge(contactId: string | number, body: MergeRequest, options?: CallOptions): Promise<ContactShape>;
  /** Send a message to a contact: `POST /contacts/{contact_id}/messages` */
  postContactsByContactIdMessages(contactId: string | number, body: RoutedMessageRequest, options?: CallOptions): Promise<SendAnswer>;
  /** Notes: `GET /contacts/{contact_id}/notes` */
  getContactsByContactIdNotes(contactId: string | number, options?: CallOptions): Promise<NoteList>;
  /** Add a note: `POST /contacts/{contact_id}/notes` */
  postContactsByContactIdNotes(contactId: string | number, body: NoteRequest, options?: CallOptions): Promise<NoteShape>;
  /** List conversations: `GET /conversations` */
  getConversations(query?: { limit?: number | Date, after?: string | null | Date, view?: "all" | "closed" | "open" | "snoozed" | "unassigned" | "unread" | Date, label?: string | null | Date, instance_id?: number | null | Date, q?: string | null | Date }, options?: CallOptions): Promise<ConversationPage>;
  /** Get a conversation: `GET /conversations/{conversation_id}` */
  getConversationsByConversationId(conversationId: string | number, options?: CallOptions): Promise<ConversationShape>;
  /** Update a conversation: `PATCH /conversations/{conversation_id}` */
  patchConversationsByConversationId(conversationId: string | number, body?: ConversationChange, options?: CallOptions): Promise<ConversationShape>;
  /** List the messages of a conversation: `GET /conversations/{conversation_id}/messages` */
  getConversationsByConversationIdMessages(conversationId: string | number, query?: { limit?: number | Date, after?: string | null | Date }, options?: CallOptions): Promise<MessagePage>;
  /** Send a message in a conversation: `POST /conversations/{conversation_id}/messages` */
  postConversationsByConversationIdMessages(conversationId: string | number, body: RoutedMessageRequest, options?: CallOptions): Promise<SendAnswer>;
  /** Mark a conversation as read: `POST /conversations/{conversation_id}/read` */
  postConversationsByConversationIdRead(conversationId: string | number, body?: ConversationRead, options?: CallOptions): Promise<ConversationShape>;
  /** A restaurant's couriers: `GET /couriers` */
  getCouriers(query?: { site_id?: string | Date }, options?: CallOptions): Promise<CourierPage>;
  /** Add courier: `POST /couriers` */
  postCouriers(body: NewCourier, options?: CallOptions): Promise<CourierShape>;
  /** Delete a courier: `DELETE /couriers/{courier_id}` */
  deleteCouriersByCourierId(courierId: string | number, options?: CallOptions): Promise<void>;
  /** One courier: `GET /couriers/{courier_id}` */
  getCouriersByCourierId(courierId: string | number, options?: CallOptions): Promise<CourierShape>;
  /** Update a courier: `PATCH /couriers/{courier_id}` */
  patchCouriersByCourierId(courierId: string | number, body?: CourierFields, options?: CallOptions): Promise<CourierShape>;
  /** Create a link to a courier's list: `POST /couriers/{courier_id}/link` */
  postCouriersByCourierIdLink(courierId: string | number, options?: CallOptions): Promise<CourierLinkShape>;
  /** List delivery zones: `GET /delivery-zones` */
  getDeliveryZones(query?: { site_id?: string | Date }, options?: CallOptions): Promise<ZonePage>;
  /** Add a zone: `POST /delivery-zones` */
  postDeliveryZones(body: NewZone, options?: CallOptions): Promise<ZoneShape>;
  /** Find the delivery zone of a location: `GET /delivery-zones/find` */
  getDeliveryZonesFind(query?: { site_id?: string | Date, latitude?: number | Date, longitude?: number | Date }, options?: CallOptions): Promise<QuoteShape>;
  /** Delete a delivery zone: `DELETE /delivery-zones/{zone_id}` */
  deleteDeliveryZonesByZoneId(zoneId: string | number, options?: CallOptions): Promise<void>;
  /** Update a delivery zone: `PATCH /delivery-zones/{zone_id}` */
  patchDeliveryZonesByZoneId(zoneId: string | number, body?: ZoneFields, options?: CallOptions): Promise<ZoneShape>;
  /** Pull events: `GET /events` */
  getEvents(query?: { after?: number | Date, limit?: number | Date, wait?: number | Date }, options?: CallOptions): Promise<EventPage>;
  /** List lines: `GET /instances` */
  getInstances(options?: CallOptions): Promise<InstancePage>;
  /** Add a line: `POST /instances` */
  postInstances(body: NewInstance, options?: CallOptions): Promise<CheckedInstance>;
  /** Delete a line: `DELETE /instances/{instance_id}` */
  deleteInstancesByInstanceId(instanceId: string | number, options?: CallOptions): Promise<void>;
  /** Get a line and its health: `GET /instances/{instance_id}` */
  getInstancesByInstanceId(instanceId: string | number, options?: CallOptions): Promise<InstanceShape>;
  /** Change a line: `PATCH /instances/{instance_id}` */
  patchInstancesByInstanceId(instanceId: string | number, body?: InstanceChange, options?: CallOptions): Promise<CheckedInstance>;
  /** Check a cloud line with WhatsApp: `POST /instances/{instance_id}/check` */
  postInstancesByInstanceIdCheck(instanceId: string | number, options?: CallOptions): Promise<CheckedInstance>;
  /** Unlink the phone: `POST /instances/{instance_id}/logout` */
  postInstancesByInstanceIdLogout(instanceId: string | number, options?: CallOptions): Promise<PairingShape>;
  /** Get the pairing status: `GET /instances/{instance_id}/pairing` */
  getInstancesByInstanceIdPairing(instanceId: string | number, options?: CallOptions): Promise<PairingShape>;
  /** Start linking a phone: `POST /instances/{instance_id}/pairing` */
  postInstancesByInstanceIdPairing(instanceId: string | number, body?: PairingRequest, options?: CallOptions): Promise<PairingShape>;
  /** Get the current QR code: `GET /instances/{instance_id}/qr` */
  getInstancesByInstanceIdQr(instanceId: string | number, options?: CallOptions): Promise<PairingShape>;
  /** Reconnect a linked phone: `POST /instances/{instance_id}/restart` */
  postInstancesByInstanceIdRestart(instanceId: string | number, options?: CallOptions): Promise<PairingShape>;
  /** Get a run: `GET /journey-runs/{run_id}` */
  getJourneyRunsByRunId(runId: string | number, options?: CallOptions): Promise<JourneyRunDetail>;
  /** Stop a run: `POST /journey-runs/{run_id}/stop` */
  postJourneyRunsByRunIdStop(runId: string | number, options?: CallOptions): Promise<JourneyRunShape>;
  /** List journeys: `GET /journeys` */
  getJourneys(query?: { limit?: number | Date, after?: string | null | Date }, options?: CallOptions): Promise<JourneyPage>;
  /** Make a journey: `POST /journeys` */
  postJourneys(body: JourneyFacts, options?: CallOptions): Promise<JourneyDetail>;
  /** Delete a journey: `DELETE /journeys/{journey_id}` */
  deleteJourneysByJourneyId(journeyId: string | number, options?: CallOptions): Promise<void>;
  /** Get a journey: `GET /journeys/{journey_id}` */
  getJourneysByJourneyId(journeyId: string | number, options?: CallOptions): Promise<JourneyDetail>;
  /** Change the draft of a journey: `PUT /journeys/{journey_id}` */
  putJourneysByJourneyId(journeyId: string | number, body: JourneyFacts, options?: CallOptions): Promise<JourneyDetail>;
  /** Pause a journey: `POST /journeys/{journey_id}/pause` */
  postJourneysByJourneyIdPause(journeyId: string | number, options?: CallOptions): Promise<JourneyShape>;
  /** Publish the draft: `POST /journeys/{journey_id}/publish` */
  postJourneysByJourneyIdPublish(journeyId: string | number, options?: CallOptions): Promise<JourneyShape>;
  /** Start new runs again: `POST /journeys/{journey_id}/resume` */
  postJourneysByJourneyIdResume(journeyId: string | number, options?: CallOptions): Promise<JourneyShape>;
  /** List the runs of a journey: `GET /journeys/{journey_id}/runs` */
  getJourneysByJourneyIdRuns(journeyId: string | number, query?: { limit?: number | Date, after?: string | null | Date, state?: string | null | Date }, options?: CallOptions): Promise<JourneyRunPage>;
  /** Start a run for a contact: `POST /journeys/{journey_id}/runs` */
  postJourneysByJourneyIdRuns(journeyId: string | number, body: JourneyRunRequest, options?: CallOptions): Promise<JourneyRunShape>;
  /** List labels: `GET /labels` */
  getLabels(options?: CallOptions): Promise<LabelList>;
  /** Create a label: `POST /labels` */
  postLabels(body: NewLabel, options?: CallOptions): Promise<LabelShape>;
  /** Delete a label: `DELETE /labels/{label_id}` */
  deleteLabelsByLabelId(labelId: string | number, options?: CallOptions): Promise<void>;
  /** Change a label: `PATCH /labels/{label_id}` */
  patchLabelsByLabelId(labelId: string | number, body: NewLabel, options?: CallOptions): Promise<LabelShape>;
  /** List coupons: `GET /loyalty/coupons` */
  getLoyaltyCoupons(query?: { limit?: number | Date, after?: string | null | Date, status?: "cancelled" | "expired" | "open" | "used" | null | Date, reward_id?: string | null | Date, contact_id?: string | null | Date }, options?: CallOptions): Promise<CouponPage>;
  /** Issue a coupon: `POST /loyalty/coupons` */
  postLoyaltyCoupons(body: NewCoupon, options?: CallOptions): Promise<CouponShape>;
  /** One coupon: `GET /loyalty/coupons/{coupon_id}` */
  getLoyaltyCouponsByCouponId(couponId: string | number, options?: CallOptions): Promise<CouponShape>;
  /** Cancel a coupon: `POST /loyalty/coupons/{coupon_id}/cancel` */
  postLoyaltyCouponsByCouponIdCancel(couponId: string | number, body: CancelCoupon, options?: CallOptions): Promise<CouponShape>;
  /** List loyalty balances: `GET /loyalty/members` */
  getLoyaltyMembers(query?: { limit?: number | Date, after?: string | null | Date, site_id?: string | Date, phone?: string | null | Date }, options?: CallOptions): Promise<MemberPage>;
  /** Get a guest's balances and history: `GET /loyalty/members/{contact_id}` */
  getLoyaltyMembersByContactId(contactId: string | number, options?: CallOptions): Promise<MemberShape>;
  /** Correct a balance: `POST /loyalty/members/{contact_id}/correct` */
  postLoyaltyMembersByContactIdCorrect(contactId: string | number, body: Correction, options?: CallOptions): Promise<BalanceShape>;
  /** Exchange points for a coupon: `POST /loyalty/members/{contact_id}/exchange` */
  postLoyaltyMembersByContactIdExchange(contactId: string | number, body: Exchange, options?: CallOptions): Promise<CouponShape>;
  /** List loyalty programmes: `GET /loyalty/programmes` */
  getLoyaltyProgrammes(options?: CallOptions): Promise<ProgrammePage>;
  /** Set up a site's programme: `PUT /loyalty/programmes/{site_id}` */
  putLoyaltyProgrammesBySiteId(siteId: string | number, body: ProgrammeFields, options?: CallOptions): Promise<ProgrammeShape>;
  /** Rewards: `GET /loyalty/rewards` */
  getLoyaltyRewards(options?: CallOptions): Promise<RewardPage>;
  /** Add a reward: `POST /loyalty/rewards` */
  postLoyaltyRewards(body: RewardFields, options?: CallOptions): Promise<RewardShape>;
  /** Delete a reward: `DELETE /loyalty/rewards/{reward_id}` */
  deleteLoyaltyRewardsByRewardId(rewardId: string | number, options?: CallOptions): Promise<void>;
  /** One reward: `GET /loyalty/rewards/{reward_id}` */
  getLoyaltyRewardsByRewardId(rewardId: string | number, options?: CallOptions): Promise<RewardShape>;
  /** Update a reward: `PUT /loyalty/rewards/{reward_id}` */
  putLoyaltyRewardsByRewardId(rewardId: string | number, body: RewardFields, options?: CallOptions): Promise<RewardShape>;
  /** Get the account and API key of this request: `GET /me` */
  getMe(options?: CallOptions): Promise<Me>;
  /** Get an uploaded file: `GET /media/{media_id}` */
  getMediaByMediaId(mediaId: string | number, options?: CallOptions): Promise<UploadedMediaShape>;
  /** List menus: `GET /menus` */
  getMenus(options?: CallOptions): Promise<MenuPage>;
  /** Begin a menu: `POST /menus` */
  postMenus(body: NewMenu, options?: CallOptions): Promise<MenuShape>;
  /** Get the draft of a menu: `GET /menus/{menu_id}` */
  getMenusByMenuId(menuId: string | number, options?: CallOptions): Promise<WholeMenu>;
  /** Add category: `POST /menus/{menu_id}/categories` */
  postMenusByMenuIdCategories(menuId: string | number, body: CategoryIn, options?: CallOptions): Promise<CategoryShape>;
  /** Delete an empty category: `DELETE /menus/{menu_id}/categories/{category_id}` */
  deleteMenusByMenuIdCategoriesByCategoryId(menuId: string | number, categoryId: string | number, options?: CallOptions): Promise<void>;
  /** Update a category: `PATCH /menus/{menu_id}/categories/{category_id}` */
  patchMenusByMenuIdCategoriesByCategoryId(menuId: string | number, categoryId: string | number, body: CategoryIn, options?: CallOptions): Promise<CategoryShape>;
  /** Add an option group: `POST /menus/{menu_id}/groups` */
  postMenusByMenuIdGroups(menuId: string | number, body: GroupIn, options?: CallOptions): Promise<GroupShape>;
  /** Delete an option group: `DELETE /menus/{menu_id}/groups/{group_id}` */
  deleteMenusByMenuIdGroupsByGroupId(menuId: string | number, groupId: string | number, options?: CallOptions): Promise<void>;
  /** Update an option group and replace its options: `PUT /menus/{menu_id}/groups/{group_id}` */
  putMenusByMenuIdGroupsByGroupId(menuId: string | number, groupId: string | number, body: GroupIn, options?: CallOptions): Promise<GroupShape>;
  /** Replace the happy hours of a menu: `PUT /menus/{menu_id}/happy-hours` */
  putMenusByMenuIdHappyHours(menuId: string | number, body: HappyHours, options?: CallOptions): Promise<HappyHoursShape>;
  /** Add item: `POST /menus/{menu_id}/items` */
  postMenusByMenuIdItems(menuId: string | number, body?: ItemIn, options?: CallOptions): Promise<ItemShape>;
  /** Delete an item: `DELETE /menus/{menu_id}/items/{item_id}` */
  deleteMenusByMenuIdItemsByItemId(menuId: string | number, itemId: string | number, options?: CallOptions): Promise<void>;
  /** Update an item: `PATCH /menus/{menu_id}/items/{item_id}` */
  patchMenusByMenuIdItemsByItemId(menuId: string | number, itemId: string | number, body?: ItemIn, options?: CallOptions): Promise<ItemShape>;
  /** Publish the draft: `POST /menus/{menu_id}/publish` */
  postMenusByMenuIdPublish(menuId: string | number, options?: CallOptions): Promise<MenuShape>;
  /** List messages: `GET /messages` */
  getMessages(query?: { limit?: number | Date, after?: string | null | Date, phone?: string | null | Date, instance_id?: number | null | Date, status_code?: "cancelled" | "delivered" | "expired" | "failed" | "held" | "queued" | "read" | "received" | "scheduled" | "sending" | "sent" | "unknown" | null | Date, direction?: string | null | Date, reference?: string | null | Date, since?: string | null | Date, until?: string | null | Date }, options?: CallOptions): Promise<MessagePage>;
  /** Send any type of message: `POST /messages` */
  postMessages(body: MessageRequest, options?: CallOptions): Promise<SendAnswer>;
  /** Preview a message: `POST /messages/preview` */
  postMessagesPreview(body: MessageRequest, options?: CallOptions): Promise<MessagePreview>;
  /** Send a text message: `POST /messages/send` */
  postMessagesSend(body: TextRequest, options?: CallOptions): Promise<SendAnswer>;
  /** Send a location: `POST /messages/send-location` */
  postMessagesSendLocation(body: LocationRequest, options?: CallOptions): Promise<SendAnswer>;
  /** Send an image or a document: `POST /messages/send-media` */
  postMessagesSendMedia(body: MediaRequest, options?: CallOptions): Promise<SendAnswer>;
  /** Send an approved template: `POST /messages/send-template` */
  postMessagesSendTemplate(body: TemplateRequest, options?: CallOptions): Promise<SendAnswer>;
  /** One message: `GET /messages/{message_id}` */
  getMessagesByMessageId(messageId: string | number, options?: CallOptions): Promise<MessageShape>;
  /** Cancel an unsent message: `POST /messages/{message_id}/cancel` */
  postMessagesByMessageIdCancel(messageId: string | number, options?: CallOptions): Promise<MessageShape>;
  /** List the events of a message: `GET /messages/{message_id}/timeline` */
  getMessagesByMessageIdTimeline(messageId: string | number, options?: CallOptions): Promise<Timeline>;
  /** List orders: `GET /orders` */
  getOrders(query?: { limit?: number | Date, after?: string | null | Date, site_id?: string | null | Date, status?: "awaiting_confirmation" | "awaiting_payment" | "cancelled" | "closed" | "delivered" | "out_for_delivery" | "preparing" | "ready" | "refunded" | "scheduled" | "sent_to_kitchen" | "served" | null | Date, phone?: string | null | Date, since?: string | null | Date, until?: string | null | Date }, options?: CallOptions): Promise<OrderPage>;
  /** Make an order: `POST /orders` */
  postOrders(body: NewOrder, options?: CallOptions): Promise<OrderShape>;
  /** One order: `GET /orders/{order_id}` */
  getOrdersByOrderId(orderId: string | number, options?: CallOptions): Promise<OrderShape>;
  /** Cancel an order: `POST /orders/{order_id}/cancel` */
  postOrdersByOrderIdCancel(orderId: string | number, body: Cancel, options?: CallOptions): Promise<OrderShape>;
  /** List the events of an order: `GET /orders/{order_id}/changes` */
  getOrdersByOrderIdChanges(orderId: string | number, options?: CallOptions): Promise<ChangePage>;
  /** Assign an order to a courier: `POST /orders/{order_id}/courier` */
  postOrdersByOrderIdCourier(orderId: string | number, body?: Assign, options?: CallOptions): Promise<RideShape>;
  /** Get the courier of an order: `GET /orders/{order_id}/delivery` */
  getOrdersByOrderIdDelivery(orderId: string | number, options?: CallOptions): Promise<RideShape>;
  /** Update the delivery status of an order: `POST /orders/{order_id}/delivery` */
  postOrdersByOrderIdDelivery(orderId: string | number, body: CourierUpdate, options?: CallOptions): Promise<RideShape>;
  /** Set the delivery location of an order: `POST /orders/{order_id}/location` */
  postOrdersByOrderIdLocation(orderId: string | number, body: Located, options?: CallOptions): Promise<OrderShape>;
  /** List the payments of an order: `GET /orders/{order_id}/payments` */
  getOrdersByOrderIdPayments(orderId: string | number, options?: CallOptions): Promise<PaymentList>;
  /** Change the status of an order: `POST /orders/{order_id}/status` */
  postOrdersByOrderIdStatus(orderId: string | number, body: Move, options?: CallOptions): Promise<OrderShape>;
  /** Get your partner account: `GET /partner` */
  getPartner(options?: CallOptions): Promise<PartnerShape>;
  /** List your tenants: `GET /partner/tenants` */
  getPartnerTenants(query?: { limit?: number | Date, after?: string | null | Date, reference?: string | null | Date }, options?: CallOptions): Promise<ManagedTenantPage>;
  /** Create a tenant: `POST /partner/tenants` */
  postPartnerTenants(body: NewTenant, options?: CallOptions): Promise<CreatedTenant>;
  /** Get a tenant: `GET /partner/tenants/{tenant_id}` */
  getPartnerTenantsByTenantId(tenantId: string | number, options?: CallOptions): Promise<ManagedTenant>;
  /** List lines: `GET /partner/tenants/{tenant_id}/instances` */
  getPartnerTenantsByTenantIdInstances(tenantId: string | number, options?: CallOptions): Promise<TenantInstanceList>;
  /** Add a cloud line: `POST /partner/tenants/{tenant_id}/instances` */
  postPartnerTenantsByTenantIdInstances(tenantId: string | number, body: NewCloudInstance, options?: CallOptions): Promise<CheckedInstance>;
  /** Delete a line: `DELETE /partner/tenants/{tenant_id}/instances/{instance_id}` */
  deletePartnerTenantsByTenantIdInstancesByInstanceId(tenantId: string | number, instanceId: string | number, options?: CallOptions): Promise<void>;
  /** List API keys: `GET /partner/tenants/{tenant_id}/keys` */
  getPartnerTenantsByTenantIdKeys(tenantId: string | number, options?: CallOptions): Promise<TenantKeyList>;
  /** Create an API key: `POST /partner/tenants/{tenant_id}/keys` */
  postPartnerTenantsByTenantIdKeys(tenantId: string | number, body: NewTenantKey, options?: CallOptions): Promise<TenantKeyWithSecret>;
  /** Revoke an API key: `DELETE /partner/tenants/{tenant_id}/keys/{key_id}` */
  deletePartnerTenantsByTenantIdKeysByKeyId(tenantId: string | number, keyId: string | number, options?: CallOptions): Promise<TenantKeyShape>;
  /** Change a tenant's plan: `POST /partner/tenants/{tenant_id}/plan` */
  postPartnerTenantsByTenantIdPlan(tenantId: string | number, body: PlanChoice, options?: CallOptions): Promise<ManagedTenant>;
  /** Resume a tenant: `POST /partner/tenants/{tenant_id}/resume` */
  postPartnerTenantsByTenantIdResume(tenantId: string | number, options?: CallOptions): Promise<ManagedTenant>;
  /** Suspend a tenant: `POST /partner/tenants/{tenant_id}/suspend` */
  postPartnerTenantsByTenantIdSuspend(tenantId: string | number, body?: SuspendRequest, options?: CallOptions): Promise<ManagedTenant>;
  /** Get a tenant's usage by month: `GET /partner/tenants/{tenant_id}/usage` */
  getPartnerTenantsByTenantIdUsage(tenantId: string | number, options?: CallOptions): Promise<TenantMonths>;
  /** List endpoints: `GET /partner/tenants/{tenant_id}/webhooks` */
  getPartnerTenantsByTenantIdWebhooks(tenantId: string | number, options?: CallOptions): Promise<TenantEndpointList>;
  /** Register an endpoint: `POST /partner/tenants/{tenant_id}/webhooks` */
  postPartnerTenantsByTenantIdWebhooks(tenantId: string | number, body: NewTenantEndpoint, options?: CallOptions): Promise<EndpointWithSecret>;
  /** Delete an endpoint: `DELETE /partner/tenants/{tenant_id}/webhooks/{endpoint_id}` */
  deletePartnerTenantsByTenantIdWebhooksByEndpointId(tenantId: string | number, endpointId: string | number, options?: CallOptions): Promise<void>;
  /** Get a month's usage by tenant: `GET /partner/usage` */
  getPartnerUsage(query?: { limit?: number | Date, after?: string | null | Date, month?: string | null | Date }, options?: CallOptions): Promise<UsagePage>;
  /** List payment links: `GET /payment-links` */
  getPaymentLinks(query?: { limit?: number | Date, after?: string | null | Date, status?: "broken" | "cancelled" | "expired" | "failed" | "making" | "open" | "paid" | null | Date, site_id?: string | null | Date }, options?: CallOptions): Promise<LinkPage>;
  /** Create a payment link: `POST /payment-links` */
  postPaymentLinks(body?: NewLink, options?: CallOptions): Promise<LinkShape>;
  /** Get a payment link: `GET /payment-links/{link_id}` */
  getPaymentLinksByLinkId(linkId: string | number, options?: CallOptions): Promise<LinkShape>;
  /** Cancel a payment link: `POST /payment-links/{link_id}/cancel` */
  postPaymentLinksByLinkIdCancel(linkId: string | number, options?: CallOptions): Promise<LinkShape>;
  /** Replace a payment link: `POST /payment-links/{link_id}/renew` */
  postPaymentLinksByLinkIdRenew(linkId: string | number, body?: Renew, options?: CallOptions): Promise<LinkShape>;
  /** Refund a payment: `POST /payments/{payment_id}/refunds` */
  postPaymentsByPaymentIdRefunds(paymentId: string | number, body: NewRefund, options?: CallOptions): Promise<RefundShape>;
  /** List print agents: `GET /print-agents` */
  getPrintAgents(options?: CallOptions): Promise<AgentPage>;
  /** Create a pairing code for a print agent: `POST /print-agents` */
  postPrintAgents(body: NewCode, options?: CallOptions): Promise<CodeShape>;
  /** Delete a print agent: `DELETE /print-agents/{agent_id}` */
  deletePrintAgentsByAgentId(agentId: string | number, options?: CallOptions): Promise<void>;
  /** One agent: `GET /print-agents/{agent_id}` */
  getPrintAgentsByAgentId(agentId: string | number, options?: CallOptions): Promise<AgentShape>;
  /** Rename a print agent: `PATCH /print-agents/{agent_id}` */
  patchPrintAgentsByAgentId(agentId: string | number, body: AgentFields, options?: CallOptions): Promise<AgentShape>;
  /** List print jobs: `GET /print-jobs` */
  getPrintJobs(query?: { limit?: number | Date, after?: string | null | Date, printer_id?: string | null | Date, state?: "claimed" | "failed" | "printed" | "queued" | "unconfirmed" | null | Date }, options?: CallOptions): Promise<JobPage>;
  /** Get a print job: `GET /print-jobs/{print_job_id}` */
  getPrintJobsByPrintJobId(printJobId: string | number, options?: CallOptions): Promise<JobShape>;
  /** Reprint a ticket: `POST /print-jobs/{print_job_id}/reprint` */
  postPrintJobsByPrintJobIdReprint(printJobId: string | number, options?: CallOptions): Promise<Made>;
  /** List printers: `GET /printers` */
  getPrinters(query?: { site_id?: string | null | Date }, options?: CallOptions): Promise<PrinterPage>;
  /** Add printer: `POST /printers` */
  postPrinters(body: NewPrinter, options?: CallOptions): Promise<PrinterShape>;
  /** Delete a printer: `DELETE /printers/{printer_id}` */
  deletePrintersByPrinterId(printerId: string | number, options?: CallOptions): Promise<void>;
  /** One printer: `GET /printers/{printer_id}` */
  getPrintersByPrinterId(printerId: string | number, options?: CallOptions): Promise<PrinterShape>;
  /** Update a printer: `PATCH /printers/{printer_id}` */
  patchPrintersByPrinterId(printerId: string | number, body?: PrinterFields, options?: CallOptions): Promise<PrinterShape>;
  /** Print test ticket: `POST /printers/{printer_id}/test` */
  postPrintersByPrinterIdTest(printerId: string | number, options?: CallOptions): Promise<Made>;
  /** Get conversations, orders and revenue by ad: `GET /reports/ads` */
  getReportsAds(query?: { since?: string | null | Date, until?: string | null | Date, instance_id?: number | null | Date }, options?: CallOptions): Promise<AdReportAnswer>;
  /** Get response times by day, member and label: `GET /reports/response-times` */
  getReportsResponseTimes(query?: { since?: string | null | Date, until?: string | null | Date }, options?: CallOptions): Promise<ResponseTimesAnswer>;
  /** List restaurants: `GET /sites` */
  getSites(options?: CallOptions): Promise<SitePage>;
  /** Add a restaurant: `POST /sites` */
  postSites(body: NewSite, options?: CallOptions): Promise<SiteShape>;
  /** Get a restaurant: `GET /sites/{site_id}` */
  getSitesBySiteId(siteId: string | number, options?: CallOptions): Promise<SiteShape>;
  /** Change it: `PATCH /sites/{site_id}` */
  patchSitesBySiteId(siteId: string | number, body?: SiteFields, options?: CallOptions): Promise<SiteShape>;
  /** Pause or resume orders: `POST /sites/{site_id}/pause` */
  postSitesBySiteIdPause(siteId: string | number, body?: Pause, options?: CallOptions): Promise<SiteShape>;
  /** List sold-out items: `GET /sites/{site_id}/sold-out` */
  getSitesBySiteIdSoldOut(siteId: string | number, options?: CallOptions): Promise<SoldOutShape>;
  /** Mark an item as sold out or available: `POST /sites/{site_id}/sold-out` */
  postSitesBySiteIdSoldOut(siteId: string | number, body: SoldOutIn, options?: CallOptions): Promise<SoldOutShape>;
  /** List the items that are counted: `GET /sites/{site_id}/stock` */
  getSitesBySiteIdStock(siteId: string | number, options?: CallOptions): Promise<StockShape>;
  /** Enter how many pieces of an item are left: `POST /sites/{site_id}/stock` */
  postSitesBySiteIdStock(siteId: string | number, body: StockIn, options?: CallOptions): Promise<StockShape>;
  /** List free times for orders: `GET /sites/{site_id}/times` */
  getSitesBySiteIdTimes(siteId: string | number, query?: { order_type?: string | Date }, options?: CallOptions): Promise<TimesShape>;
  /** Where items are made: `GET /stations` */
  getStations(query?: { site_id?: string | Date }, options?: CallOptions): Promise<StationPage>;
  /** Add a station: `POST /stations` */
  postStations(body: NewStation, options?: CallOptions): Promise<StationShape>;
  /** A restaurant's tables: `GET /tables` */
  getTables(query?: { site_id?: string | Date }, options?: CallOptions): Promise<TablePage>;
  /** Add tables: `POST /tables` */
  postTables(body: NewTables, options?: CallOptions): Promise<TablePage>;
  /** Delete a table: `DELETE /tables/{table_id}` */
  deleteTablesByTableId(tableId: string | number, options?: CallOptions): Promise<void>;
  /** Replace a table's code: `POST /tables/{table_id}/rotate` */
  postTablesByTableIdRotate(tableId: string | number, options?: CallOptions): Promise<TableShape>;
  /** List tabs: `GET /tabs` */
  getTabs(query?: { limit?: number | Date, after?: string | null | Date, site_id?: string | null | Date, status?: "closed" | "merged" | "open" | "settled" | null | Date }, options?: CallOptions): Promise<TabPage>;
  /** One tab: `GET /tabs/{tab_id}` */
  getTabsByTabId(tabId: string | number, options?: CallOptions): Promise<TabShape>;
  /** Close it: `POST /tabs/{tab_id}/close` */
  postTabsByTabIdClose(tabId: string | number, options?: CallOptions): Promise<TabShape>;
  /** Move it to another table: `POST /tabs/{tab_id}/move` */
  postTabsByTabIdMove(tabId: string | number, body: TabMove, options?: CallOptions): Promise<TabShape>;
  /** Record a payment at the till: `POST /tabs/{tab_id}/payments` */
  postTabsByTabIdPayments(tabId: string | number, body: TabPaymentIn, options?: CallOptions): Promise<TabShape>;
  /** List templates: `GET /templates` */
  getTemplates(query?: { limit?: number | Date, after?: string | null | Date, state?: "approved" | "archived" | "disabled" | "in_appeal" | "limit_exceeded" | "paused" | "pending" | "pending_deletion" | "rejected" | null | Date, category?: "authentication" | "marketing" | "utility" | null | Date, name?: string | null | Date, instance_id?: number | null | Date }, options?: CallOptions): Promise<TemplatePage>;
  /** Create a template: `POST /templates` */
  postTemplates(body: NewTemplate, options?: CallOptions): Promise<CheckedTemplate>;
  /** Check a template without creating it: `POST /templates/check` */
  postTemplatesCheck(body: TemplateToCheck, options?: CallOptions): Promise<TemplateFindings>;
  /** Delete a template: `DELETE /templates/{template_id}` */
  deleteTemplatesByTemplateId(templateId: string | number, options?: CallOptions): Promise<void>;
  /** Get a template: `GET /templates/{template_id}` */
  getTemplatesByTemplateId(templateId: string | number, options?: CallOptions): Promise<CheckedTemplate>;
  /** Update a template: `PATCH /templates/{template_id}` */
  patchTemplatesByTemplateId(templateId: string | number, body?: TemplateContent, options?: CallOptions): Promise<CheckedTemplate>;
  /** Duplicate a template: `POST /templates/{template_id}/duplicate` */
  postTemplatesByTemplateIdDuplicate(templateId: string | number, body?: DuplicateTemplate, options?: CallOptions): Promise<CheckedTemplate>;
  /** Reset the test clock: `DELETE /test/clock` */
  deleteTestClock(options?: CallOptions): Promise<ClockShape>;
  /** Get the test clock: `GET /test/clock` */
  getTestClock(options?: CallOptions): Promise<ClockShape>;
  /** Advance the test clock: `POST /test/clock` */
  postTestClock(body: ClockAdvance, options?: CallOptions): Promise<ClockShape>;
  /** Make something happen in test mode: `POST /test/triggers` */
  postTestTriggers(body: NewTrigger, options?: CallOptions): Promise<TriggerAnswer>;
  /** Get message counts by day and line: `GET /usage` */
  getUsage(query?: { since?: string | null | Date, until?: string | null | Date, instance_id?: number | null | Date }, options?: CallOptions): Promise<UsageAnswer>;
  /** Get costs by day, line, country and category: `GET /usage/costs` */
  getUsageCosts(query?: { since?: string | null | Date, until?: string | null | Date, instance_id?: number | null | Date }, options?: CallOptions): Promise<CostsAnswer>;
  /** List endpoints: `GET /webhooks` */
  getWebhooks(options?: CallOptions): Promise<EndpointPage>;
  /** Register an endpoint: `POST /webhooks` */
  postWebhooks(body: NewEndpoint, options?: CallOptions): Promise<EndpointWithSecret>;
  /** List deliveries: `GET /webhooks/deliveries` */
  getWebhooksDeliveries(query?: { limit?: number | Date, after?: string | null | Date, endpoint_id?: string | null | Date, event_id?: string | null | Date, event?: string | null | Date, state?: "cancelled" | "delivered" | "failed" | "sending" | "waiting" | null | Date, since?: string | null | Date, until?: string | null | Date }, options?: CallOptions): Promise<DeliveryPage>;
  /** Get a delivery with its attempts: `GET /webhooks/deliveries/{delivery_id}` */
  getWebhooksDeliveriesByDeliveryId(deliveryId: string | number, options?: CallOptions): Promise<DeliveryWithAttempts>;
  /** Send a delivery again: `POST /webhooks/deliveries/{delivery_id}/retry` */
  postWebhooksDeliveriesByDeliveryIdRetry(deliveryId: string | number, options?: CallOptions): Promise<DeliveryShape>;
  /** Send the events of a time range again: `POST /webhooks/replay` */
  postWebhooksReplay(body: ReplayRequest, options?: CallOptions): Promise<ReplayAnswer>;
  /** Delete an endpoint: `DELETE /webhooks/{endpoint_id}` */
  deleteWebhooksByEndpointId(endpointId: string | number, options?: CallOptions): Promise<void>;
  /** Get an endpoint: `GET /webhooks/{endpoint_id}` */
  getWebhooksByEndpointId(endpointId: string | number, options?: CallOptions): Promise<EndpointShape>;
  /** Update an endpoint: `PATCH /webhooks/{endpoint_id}` */
  patchWebhooksByEndpointId(endpointId: string | number, body?: EndpointChange, options?: CallOptions): Promise<EndpointShape>;
  /** Rotate an endpoint's secret: `POST /webhooks/{endpoint_id}/rotate` */
  postWebhooksByEndpointIdRotate(endpointId: string | number, body?: RotateRequest, options?: CallOptions): Promise<EndpointWithSecret>;
  /** Send test event: `POST /webhooks/{endpoint_id}/test` */
  postWebhooksByEndpointIdTest(endpointId: string | number, options?: CallOptions): Promise<DeliveryShape>;
}
