// Made from the OpenAPI document by `make clients`. Do not edit.

export class Operations {
  constructor(transport) {
    this.transport = transport;
  }

  getAudiences(query, options = {}) {
    return this.transport.call("GET", `/audiences`, { query, ...options });
  }

  postAudiences(body, options = {}) {
    return this.transport.call("POST", `/audiences`, { body, ...options });
  }

  deleteAudiencesByAudienceId(audienceId, options = {}) {
    return this.transport.call("DELETE", `/audiences/${encodeURIComponent(audienceId)}`, { ...options });
  }

  getAudiencesByAudienceId(audienceId, options = {}) {
    return this.transport.call("GET", `/audiences/${encodeURIComponent(audienceId)}`, { ...options });
  }

  patchAudiencesByAudienceId(audienceId, body, options = {}) {
    return this.transport.call("PATCH", `/audiences/${encodeURIComponent(audienceId)}`, { body, ...options });
  }

  getAutomations(query, options = {}) {
    return this.transport.call("GET", `/automations`, { query, ...options });
  }

  getAutomationsByAutomationId(automationId, options = {}) {
    return this.transport.call("GET", `/automations/${encodeURIComponent(automationId)}`, { ...options });
  }

  getAutomationsByAutomationIdRuns(automationId, query, options = {}) {
    return this.transport.call("GET", `/automations/${encodeURIComponent(automationId)}/runs`, { query, ...options });
  }

  getCampaigns(query, options = {}) {
    return this.transport.call("GET", `/campaigns`, { query, ...options });
  }

  postCampaigns(body, options = {}) {
    return this.transport.call("POST", `/campaigns`, { body, ...options });
  }

  deleteCampaignsByCampaignId(campaignId, options = {}) {
    return this.transport.call("DELETE", `/campaigns/${encodeURIComponent(campaignId)}`, { ...options });
  }

  getCampaignsByCampaignId(campaignId, options = {}) {
    return this.transport.call("GET", `/campaigns/${encodeURIComponent(campaignId)}`, { ...options });
  }

  patchCampaignsByCampaignId(campaignId, body, options = {}) {
    return this.transport.call("PATCH", `/campaigns/${encodeURIComponent(campaignId)}`, { body, ...options });
  }

  postCampaignsByCampaignIdDryRun(campaignId, options = {}) {
    return this.transport.call("POST", `/campaigns/${encodeURIComponent(campaignId)}/dry-run`, { ...options });
  }

  getCampaignsByCampaignIdEffect(campaignId, options = {}) {
    return this.transport.call("GET", `/campaigns/${encodeURIComponent(campaignId)}/effect`, { ...options });
  }

  postCampaignsByCampaignIdPause(campaignId, options = {}) {
    return this.transport.call("POST", `/campaigns/${encodeURIComponent(campaignId)}/pause`, { ...options });
  }

  getCampaignsByCampaignIdResults(campaignId, query, options = {}) {
    return this.transport.call("GET", `/campaigns/${encodeURIComponent(campaignId)}/results`, { query, ...options });
  }

  postCampaignsByCampaignIdResume(campaignId, options = {}) {
    return this.transport.call("POST", `/campaigns/${encodeURIComponent(campaignId)}/resume`, { ...options });
  }

  postCampaignsByCampaignIdStart(campaignId, body, options = {}) {
    return this.transport.call("POST", `/campaigns/${encodeURIComponent(campaignId)}/start`, { body, ...options });
  }

  postCampaignsByCampaignIdStop(campaignId, options = {}) {
    return this.transport.call("POST", `/campaigns/${encodeURIComponent(campaignId)}/stop`, { ...options });
  }

  postCampaignsByCampaignIdUnschedule(campaignId, options = {}) {
    return this.transport.call("POST", `/campaigns/${encodeURIComponent(campaignId)}/unschedule`, { ...options });
  }

  getConnections(options = {}) {
    return this.transport.call("GET", `/connections`, { ...options });
  }

  getConnectionsByConnectionId(connectionId, options = {}) {
    return this.transport.call("GET", `/connections/${encodeURIComponent(connectionId)}`, { ...options });
  }

  getContacts(query, options = {}) {
    return this.transport.call("GET", `/contacts`, { query, ...options });
  }

  postContacts(body, options = {}) {
    return this.transport.call("POST", `/contacts`, { body, ...options });
  }

  getContactsErasuresByErasureId(erasureId, options = {}) {
    return this.transport.call("GET", `/contacts/erasures/${encodeURIComponent(erasureId)}`, { ...options });
  }

  getContactsFields(options = {}) {
    return this.transport.call("GET", `/contacts/fields`, { ...options });
  }

  postContactsImport(body, options = {}) {
    return this.transport.call("POST", `/contacts/import`, { body, ...options });
  }

  getContactsImportByImportId(importId, options = {}) {
    return this.transport.call("GET", `/contacts/import/${encodeURIComponent(importId)}`, { ...options });
  }

  getContactsImportByImportIdRejects(importId, query, options = {}) {
    return this.transport.call("GET", `/contacts/import/${encodeURIComponent(importId)}/rejects`, { query, ...options });
  }

  postContactsImportByImportIdStart(importId, options = {}) {
    return this.transport.call("POST", `/contacts/import/${encodeURIComponent(importId)}/start`, { ...options });
  }

  getContactsTags(options = {}) {
    return this.transport.call("GET", `/contacts/tags`, { ...options });
  }

  deleteContactsByContactId(contactId, options = {}) {
    return this.transport.call("DELETE", `/contacts/${encodeURIComponent(contactId)}`, { ...options });
  }

  getContactsByContactId(contactId, options = {}) {
    return this.transport.call("GET", `/contacts/${encodeURIComponent(contactId)}`, { ...options });
  }

  patchContactsByContactId(contactId, body, options = {}) {
    return this.transport.call("PATCH", `/contacts/${encodeURIComponent(contactId)}`, { body, ...options });
  }

  postContactsByContactIdErase(contactId, options = {}) {
    return this.transport.call("POST", `/contacts/${encodeURIComponent(contactId)}/erase`, { ...options });
  }

  postContactsByContactIdMerge(contactId, body, options = {}) {
    return this.transport.call("POST", `/contacts/${encodeURIComponent(contactId)}/merge`, { body, ...options });
  }

  postContactsByContactIdMessages(contactId, body, options = {}) {
    return this.transport.call("POST", `/contacts/${encodeURIComponent(contactId)}/messages`, { body, ...options });
  }

  getContactsByContactIdNotes(contactId, options = {}) {
    return this.transport.call("GET", `/contacts/${encodeURIComponent(contactId)}/notes`, { ...options });
  }

  postContactsByContactIdNotes(contactId, body, options = {}) {
    return this.transport.call("POST", `/contacts/${encodeURIComponent(contactId)}/notes`, { body, ...options });
  }

  getConversations(query, options = {}) {
    return this.transport.call("GET", `/conversations`, { query, ...options });
  }

  getConversationsByConversationId(conversationId, options = {}) {
    return this.transport.call("GET", `/conversations/${encodeURIComponent(conversationId)}`, { ...options });
  }

  patchConversationsByConversationId(conversationId, body, options = {}) {
    return this.transport.call("PATCH", `/conversations/${encodeURIComponent(conversationId)}`, { body, ...options });
  }

  getConversationsByConversationIdMessages(conversationId, query, options = {}) {
    return this.transport.call("GET", `/conversations/${encodeURIComponent(conversationId)}/messages`, { query, ...options });
  }

  postConversationsByConversationIdMessages(conversationId, body, options = {}) {
    return this.transport.call("POST", `/conversations/${encodeURIComponent(conversationId)}/messages`, { body, ...options });
  }

  postConversationsByConversationIdRead(conversationId, body, options = {}) {
    return this.transport.call("POST", `/conversations/${encodeURIComponent(conversationId)}/read`, { body, ...options });
  }

  getCouriers(query, options = {}) {
    return this.transport.call("GET", `/couriers`, { query, ...options });
  }

  postCouriers(body, options = {}) {
    return this.transport.call("POST", `/couriers`, { body, ...options });
  }

  deleteCouriersByCourierId(courierId, options = {}) {
    return this.transport.call("DELETE", `/couriers/${encodeURIComponent(courierId)}`, { ...options });
  }

  getCouriersByCourierId(courierId, options = {}) {
    return this.transport.call("GET", `/couriers/${encodeURIComponent(courierId)}`, { ...options });
  }

  patchCouriersByCourierId(courierId, body, options = {}) {
    return this.transport.call("PATCH", `/couriers/${encodeURIComponent(courierId)}`, { body, ...options });
  }

  postCouriersByCourierIdLink(courierId, options = {}) {
    return this.transport.call("POST", `/couriers/${encodeURIComponent(courierId)}/link`, { ...options });
  }

  getDeliveryZones(query, options = {}) {
    return this.transport.call("GET", `/delivery-zones`, { query, ...options });
  }

  postDeliveryZones(body, options = {}) {
    return this.transport.call("POST", `/delivery-zones`, { body, ...options });
  }

  getDeliveryZonesFind(query, options = {}) {
    return this.transport.call("GET", `/delivery-zones/find`, { query, ...options });
  }

  deleteDeliveryZonesByZoneId(zoneId, options = {}) {
    return this.transport.call("DELETE", `/delivery-zones/${encodeURIComponent(zoneId)}`, { ...options });
  }

  patchDeliveryZonesByZoneId(zoneId, body, options = {}) {
    return this.transport.call("PATCH", `/delivery-zones/${encodeURIComponent(zoneId)}`, { body, ...options });
  }

  getEvents(query, options = {}) {
    return this.transport.call("GET", `/events`, { query, ...options });
  }

  getInstances(options = {}) {
    return this.transport.call("GET", `/instances`, { ...options });
  }

  postInstances(body, options = {}) {
    return this.transport.call("POST", `/instances`, { body, ...options });
  }

  deleteInstancesByInstanceId(instanceId, options = {}) {
    return this.transport.call("DELETE", `/instances/${encodeURIComponent(instanceId)}`, { ...options });
  }

  getInstancesByInstanceId(instanceId, options = {}) {
    return this.transport.call("GET", `/instances/${encodeURIComponent(instanceId)}`, { ...options });
  }

  patchInstancesByInstanceId(instanceId, body, options = {}) {
    return this.transport.call("PATCH", `/instances/${encodeURIComponent(instanceId)}`, { body, ...options });
  }

  postInstancesByInstanceIdCheck(instanceId, options = {}) {
    return this.transport.call("POST", `/instances/${encodeURIComponent(instanceId)}/check`, { ...options });
  }

  postInstancesByInstanceIdLogout(instanceId, options = {}) {
    return this.transport.call("POST", `/instances/${encodeURIComponent(instanceId)}/logout`, { ...options });
  }

  getInstancesByInstanceIdPairing(instanceId, options = {}) {
    return this.transport.call("GET", `/instances/${encodeURIComponent(instanceId)}/pairing`, { ...options });
  }

  postInstancesByInstanceIdPairing(instanceId, body, options = {}) {
    return this.transport.call("POST", `/instances/${encodeURIComponent(instanceId)}/pairing`, { body, ...options });
  }

  getInstancesByInstanceIdQr(instanceId, options = {}) {
    return this.transport.call("GET", `/instances/${encodeURIComponent(instanceId)}/qr`, { ...options });
  }

  postInstancesByInstanceIdRestart(instanceId, options = {}) {
    return this.transport.call("POST", `/instances/${encodeURIComponent(instanceId)}/restart`, { ...options });
  }

  getJourneyRunsByRunId(runId, options = {}) {
    return this.transport.call("GET", `/journey-runs/${encodeURIComponent(runId)}`, { ...options });
  }

  postJourneyRunsByRunIdStop(runId, options = {}) {
    return this.transport.call("POST", `/journey-runs/${encodeURIComponent(runId)}/stop`, { ...options });
  }

  getJourneys(query, options = {}) {
    return this.transport.call("GET", `/journeys`, { query, ...options });
  }

  postJourneys(body, options = {}) {
    return this.transport.call("POST", `/journeys`, { body, ...options });
  }

  deleteJourneysByJourneyId(journeyId, options = {}) {
    return this.transport.call("DELETE", `/journeys/${encodeURIComponent(journeyId)}`, { ...options });
  }

  getJourneysByJourneyId(journeyId, options = {}) {
    return this.transport.call("GET", `/journeys/${encodeURIComponent(journeyId)}`, { ...options });
  }

  putJourneysByJourneyId(journeyId, body, options = {}) {
    return this.transport.call("PUT", `/journeys/${encodeURIComponent(journeyId)}`, { body, ...options });
  }

  postJourneysByJourneyIdPause(journeyId, options = {}) {
    return this.transport.call("POST", `/journeys/${encodeURIComponent(journeyId)}/pause`, { ...options });
  }

  postJourneysByJourneyIdPublish(journeyId, options = {}) {
    return this.transport.call("POST", `/journeys/${encodeURIComponent(journeyId)}/publish`, { ...options });
  }

  postJourneysByJourneyIdResume(journeyId, options = {}) {
    return this.transport.call("POST", `/journeys/${encodeURIComponent(journeyId)}/resume`, { ...options });
  }

  getJourneysByJourneyIdRuns(journeyId, query, options = {}) {
    return this.transport.call("GET", `/journeys/${encodeURIComponent(journeyId)}/runs`, { query, ...options });
  }

  postJourneysByJourneyIdRuns(journeyId, body, options = {}) {
    return this.transport.call("POST", `/journeys/${encodeURIComponent(journeyId)}/runs`, { body, ...options });
  }

  getLabels(options = {}) {
    return this.transport.call("GET", `/labels`, { ...options });
  }

  postLabels(body, options = {}) {
    return this.transport.call("POST", `/labels`, { body, ...options });
  }

  deleteLabelsByLabelId(labelId, options = {}) {
    return this.transport.call("DELETE", `/labels/${encodeURIComponent(labelId)}`, { ...options });
  }

  patchLabelsByLabelId(labelId, body, options = {}) {
    return this.transport.call("PATCH", `/labels/${encodeURIComponent(labelId)}`, { body, ...options });
  }

  getLoyaltyCoupons(query, options = {}) {
    return this.transport.call("GET", `/loyalty/coupons`, { query, ...options });
  }

  postLoyaltyCoupons(body, options = {}) {
    return this.transport.call("POST", `/loyalty/coupons`, { body, ...options });
  }

  getLoyaltyCouponsByCouponId(couponId, options = {}) {
    return this.transport.call("GET", `/loyalty/coupons/${encodeURIComponent(couponId)}`, { ...options });
  }

  postLoyaltyCouponsByCouponIdCancel(couponId, body, options = {}) {
    return this.transport.call("POST", `/loyalty/coupons/${encodeURIComponent(couponId)}/cancel`, { body, ...options });
  }

  getLoyaltyMembers(query, options = {}) {
    return this.transport.call("GET", `/loyalty/members`, { query, ...options });
  }

  getLoyaltyMembersByContactId(contactId, options = {}) {
    return this.transport.call("GET", `/loyalty/members/${encodeURIComponent(contactId)}`, { ...options });
  }

  postLoyaltyMembersByContactIdCorrect(contactId, body, options = {}) {
    return this.transport.call("POST", `/loyalty/members/${encodeURIComponent(contactId)}/correct`, { body, ...options });
  }

  postLoyaltyMembersByContactIdExchange(contactId, body, options = {}) {
    return this.transport.call("POST", `/loyalty/members/${encodeURIComponent(contactId)}/exchange`, { body, ...options });
  }

  getLoyaltyProgrammes(options = {}) {
    return this.transport.call("GET", `/loyalty/programmes`, { ...options });
  }

  putLoyaltyProgrammesBySiteId(siteId, body, options = {}) {
    return this.transport.call("PUT", `/loyalty/programmes/${encodeURIComponent(siteId)}`, { body, ...options });
  }

  getLoyaltyRewards(options = {}) {
    return this.transport.call("GET", `/loyalty/rewards`, { ...options });
  }

  postLoyaltyRewards(body, options = {}) {
    return this.transport.call("POST", `/loyalty/rewards`, { body, ...options });
  }

  deleteLoyaltyRewardsByRewardId(rewardId, options = {}) {
    return this.transport.call("DELETE", `/loyalty/rewards/${encodeURIComponent(rewardId)}`, { ...options });
  }

  getLoyaltyRewardsByRewardId(rewardId, options = {}) {
    return this.transport.call("GET", `/loyalty/rewards/${encodeURIComponent(rewardId)}`, { ...options });
  }

  putLoyaltyRewardsByRewardId(rewardId, body, options = {}) {
    return this.transport.call("PUT", `/loyalty/rewards/${encodeURIComponent(rewardId)}`, { body, ...options });
  }

  getMe(options = {}) {
    return this.transport.call("GET", `/me`, { ...options });
  }

  getMediaByMediaId(mediaId, options = {}) {
    return this.transport.call("GET", `/media/${encodeURIComponent(mediaId)}`, { ...options });
  }

  getMenus(options = {}) {
    return this.transport.call("GET", `/menus`, { ...options });
  }

  postMenus(body, options = {}) {
    return this.transport.call("POST", `/menus`, { body, ...options });
  }

  getMenusByMenuId(menuId, options = {}) {
    return this.transport.call("GET", `/menus/${encodeURIComponent(menuId)}`, { ...options });
  }

  postMenusByMenuIdCategories(menuId, body, options = {}) {
    return this.transport.call("POST", `/menus/${encodeURIComponent(menuId)}/categories`, { body, ...options });
  }

  deleteMenusByMenuIdCategoriesByCategoryId(menuId, categoryId, options = {}) {
    return this.transport.call("DELETE", `/menus/${encodeURIComponent(menuId)}/categories/${encodeURIComponent(categoryId)}`, { ...options });
  }

  patchMenusByMenuIdCategoriesByCategoryId(menuId, categoryId, body, options = {}) {
    return this.transport.call("PATCH", `/menus/${encodeURIComponent(menuId)}/categories/${encodeURIComponent(categoryId)}`, { body, ...options });
  }

  postMenusByMenuIdGroups(menuId, body, options = {}) {
    return this.transport.call("POST", `/menus/${encodeURIComponent(menuId)}/groups`, { body, ...options });
  }

  deleteMenusByMenuIdGroupsByGroupId(menuId, groupId, options = {}) {
    return this.transport.call("DELETE", `/menus/${encodeURIComponent(menuId)}/groups/${encodeURIComponent(groupId)}`, { ...options });
  }

  putMenusByMenuIdGroupsByGroupId(menuId, groupId, body, options = {}) {
    return this.transport.call("PUT", `/menus/${encodeURIComponent(menuId)}/groups/${encodeURIComponent(groupId)}`, { body, ...options });
  }

  putMenusByMenuIdHappyHours(menuId, body, options = {}) {
    return this.transport.call("PUT", `/menus/${encodeURIComponent(menuId)}/happy-hours`, { body, ...options });
  }

  postMenusByMenuIdItems(menuId, body, options = {}) {
    return this.transport.call("POST", `/menus/${encodeURIComponent(menuId)}/items`, { body, ...options });
  }

  deleteMenusByMenuIdItemsByItemId(menuId, itemId, options = {}) {
    return this.transport.call("DELETE", `/menus/${encodeURIComponent(menuId)}/items/${encodeURIComponent(itemId)}`, { ...options });
  }

  patchMenusByMenuIdItemsByItemId(menuId, itemId, body, options = {}) {
    return this.transport.call("PATCH", `/menus/${encodeURIComponent(menuId)}/items/${encodeURIComponent(itemId)}`, { body, ...options });
  }

  postMenusByMenuIdPublish(menuId, options = {}) {
    return this.transport.call("POST", `/menus/${encodeURIComponent(menuId)}/publish`, { ...options });
  }

  getMessages(query, options = {}) {
    return this.transport.call("GET", `/messages`, { query, ...options });
  }

  postMessages(body, options = {}) {
    return this.transport.call("POST", `/messages`, { body, ...options });
  }

  postMessagesPreview(body, options = {}) {
    return this.transport.call("POST", `/messages/preview`, { body, ...options });
  }

  postMessagesSend(body, options = {}) {
    return this.transport.call("POST", `/messages/send`, { body, ...options });
  }

  postMessagesSendLocation(body, options = {}) {
    return this.transport.call("POST", `/messages/send-location`, { body, ...options });
  }

  postMessagesSendMedia(body, options = {}) {
    return this.transport.call("POST", `/messages/send-media`, { body, ...options });
  }

  postMessagesSendTemplate(body, options = {}) {
    return this.transport.call("POST", `/messages/send-template`, { body, ...options });
  }

  getMessagesByMessageId(messageId, options = {}) {
    return this.transport.call("GET", `/messages/${encodeURIComponent(messageId)}`, { ...options });
  }

  postMessagesByMessageIdCancel(messageId, options = {}) {
    return this.transport.call("POST", `/messages/${encodeURIComponent(messageId)}/cancel`, { ...options });
  }

  getMessagesByMessageIdTimeline(messageId, options = {}) {
    return this.transport.call("GET", `/messages/${encodeURIComponent(messageId)}/timeline`, { ...options });
  }

  getOrders(query, options = {}) {
    return this.transport.call("GET", `/orders`, { query, ...options });
  }

  postOrders(body, options = {}) {
    return this.transport.call("POST", `/orders`, { body, ...options });
  }

  getOrdersByOrderId(orderId, options = {}) {
    return this.transport.call("GET", `/orders/${encodeURIComponent(orderId)}`, { ...options });
  }

  postOrdersByOrderIdCancel(orderId, body, options = {}) {
    return this.transport.call("POST", `/orders/${encodeURIComponent(orderId)}/cancel`, { body, ...options });
  }

  getOrdersByOrderIdChanges(orderId, options = {}) {
    return this.transport.call("GET", `/orders/${encodeURIComponent(orderId)}/changes`, { ...options });
  }

  postOrdersByOrderIdCourier(orderId, body, options = {}) {
    return this.transport.call("POST", `/orders/${encodeURIComponent(orderId)}/courier`, { body, ...options });
  }

  getOrdersByOrderIdDelivery(orderId, options = {}) {
    return this.transport.call("GET", `/orders/${encodeURIComponent(orderId)}/delivery`, { ...options });
  }

  postOrdersByOrderIdDelivery(orderId, body, options = {}) {
    return this.transport.call("POST", `/orders/${encodeURIComponent(orderId)}/delivery`, { body, ...options });
  }

  postOrdersByOrderIdLocation(orderId, body, options = {}) {
    return this.transport.call("POST", `/orders/${encodeURIComponent(orderId)}/location`, { body, ...options });
  }

  getOrdersByOrderIdPayments(orderId, options = {}) {
    return this.transport.call("GET", `/orders/${encodeURIComponent(orderId)}/payments`, { ...options });
  }

  postOrdersByOrderIdStatus(orderId, body, options = {}) {
    return this.transport.call("POST", `/orders/${encodeURIComponent(orderId)}/status`, { body, ...options });
  }

  getPartner(options = {}) {
    return this.transport.call("GET", `/partner`, { ...options });
  }

  getPartnerTenants(query, options = {}) {
    return this.transport.call("GET", `/partner/tenants`, { query, ...options });
  }

  postPartnerTenants(body, options = {}) {
    return this.transport.call("POST", `/partner/tenants`, { body, ...options });
  }

  getPartnerTenantsByTenantId(tenantId, options = {}) {
    return this.transport.call("GET", `/partner/tenants/${encodeURIComponent(tenantId)}`, { ...options });
  }

  getPartnerTenantsByTenantIdInstances(tenantId, options = {}) {
    return this.transport.call("GET", `/partner/tenants/${encodeURIComponent(tenantId)}/instances`, { ...options });
  }

  postPartnerTenantsByTenantIdInstances(tenantId, body, options = {}) {
    return this.transport.call("POST", `/partner/tenants/${encodeURIComponent(tenantId)}/instances`, { body, ...options });
  }

  deletePartnerTenantsByTenantIdInstancesByInstanceId(tenantId, instanceId, options = {}) {
    return this.transport.call("DELETE", `/partner/tenants/${encodeURIComponent(tenantId)}/instances/${encodeURIComponent(instanceId)}`, { ...options });
  }

  getPartnerTenantsByTenantIdKeys(tenantId, options = {}) {
    return this.transport.call("GET", `/partner/tenants/${encodeURIComponent(tenantId)}/keys`, { ...options });
  }

  postPartnerTenantsByTenantIdKeys(tenantId, body, options = {}) {
    return this.transport.call("POST", `/partner/tenants/${encodeURIComponent(tenantId)}/keys`, { body, ...options });
  }

  deletePartnerTenantsByTenantIdKeysByKeyId(tenantId, keyId, options = {}) {
    return this.transport.call("DELETE", `/partner/tenants/${encodeURIComponent(tenantId)}/keys/${encodeURIComponent(keyId)}`, { ...options });
  }

  postPartnerTenantsByTenantIdPlan(tenantId, body, options = {}) {
    return this.transport.call("POST", `/partner/tenants/${encodeURIComponent(tenantId)}/plan`, { body, ...options });
  }

  postPartnerTenantsByTenantIdResume(tenantId, options = {}) {
    return this.transport.call("POST", `/partner/tenants/${encodeURIComponent(tenantId)}/resume`, { ...options });
  }

  postPartnerTenantsByTenantIdSuspend(tenantId, body, options = {}) {
    return this.transport.call("POST", `/partner/tenants/${encodeURIComponent(tenantId)}/suspend`, { body, ...options });
  }

  getPartnerTenantsByTenantIdUsage(tenantId, options = {}) {
    return this.transport.call("GET", `/partner/tenants/${encodeURIComponent(tenantId)}/usage`, { ...options });
  }

  getPartnerTenantsByTenantIdWebhooks(tenantId, options = {}) {
    return this.transport.call("GET", `/partner/tenants/${encodeURIComponent(tenantId)}/webhooks`, { ...options });
  }

  postPartnerTenantsByTenantIdWebhooks(tenantId, body, options = {}) {
    return this.transport.call("POST", `/partner/tenants/${encodeURIComponent(tenantId)}/webhooks`, { body, ...options });
  }

  deletePartnerTenantsByTenantIdWebhooksByEndpointId(tenantId, endpointId, options = {}) {
    return this.transport.call("DELETE", `/partner/tenants/${encodeURIComponent(tenantId)}/webhooks/${encodeURIComponent(endpointId)}`, { ...options });
  }

  getPartnerUsage(query, options = {}) {
    return this.transport.call("GET", `/partner/usage`, { query, ...options });
  }

  getPaymentLinks(query, options = {}) {
    return this.transport.call("GET", `/payment-links`, { query, ...options });
  }

  postPaymentLinks(body, options = {}) {
    return this.transport.call("POST", `/payment-links`, { body, ...options });
  }

  getPaymentLinksByLinkId(linkId, options = {}) {
    return this.transport.call("GET", `/payment-links/${encodeURIComponent(linkId)}`, { ...options });
  }

  postPaymentLinksByLinkIdCancel(linkId, options = {}) {
    return this.transport.call("POST", `/payment-links/${encodeURIComponent(linkId)}/cancel`, { ...options });
  }

  postPaymentLinksByLinkIdRenew(linkId, body, options = {}) {
    return this.transport.call("POST", `/payment-links/${encodeURIComponent(linkId)}/renew`, { body, ...options });
  }

  postPaymentsByPaymentIdRefunds(paymentId, body, options = {}) {
    return this.transport.call("POST", `/payments/${encodeURIComponent(paymentId)}/refunds`, { body, ...options });
  }

  getPrintAgents(options = {}) {
    return this.transport.call("GET", `/print-agents`, { ...options });
  }

  postPrintAgents(body, options = {}) {
    return this.transport.call("POST", `/print-agents`, { body, ...options });
  }

  deletePrintAgentsByAgentId(agentId, options = {}) {
    return this.transport.call("DELETE", `/print-agents/${encodeURIComponent(agentId)}`, { ...options });
  }

  getPrintAgentsByAgentId(agentId, options = {}) {
    return this.transport.call("GET", `/print-agents/${encodeURIComponent(agentId)}`, { ...options });
  }

  patchPrintAgentsByAgentId(agentId, body, options = {}) {
    return this.transport.call("PATCH", `/print-agents/${encodeURIComponent(agentId)}`, { body, ...options });
  }

  getPrintJobs(query, options = {}) {
    return this.transport.call("GET", `/print-jobs`, { query, ...options });
  }

  getPrintJobsByPrintJobId(printJobId, options = {}) {
    return this.transport.call("GET", `/print-jobs/${encodeURIComponent(printJobId)}`, { ...options });
  }

  postPrintJobsByPrintJobIdReprint(printJobId, options = {}) {
    return this.transport.call("POST", `/print-jobs/${encodeURIComponent(printJobId)}/reprint`, { ...options });
  }

  getPrinters(query, options = {}) {
    return this.transport.call("GET", `/printers`, { query, ...options });
  }

  postPrinters(body, options = {}) {
    return this.transport.call("POST", `/printers`, { body, ...options });
  }

  deletePrintersByPrinterId(printerId, options = {}) {
    return this.transport.call("DELETE", `/printers/${encodeURIComponent(printerId)}`, { ...options });
  }

  getPrintersByPrinterId(printerId, options = {}) {
    return this.transport.call("GET", `/printers/${encodeURIComponent(printerId)}`, { ...options });
  }

  patchPrintersByPrinterId(printerId, body, options = {}) {
    return this.transport.call("PATCH", `/printers/${encodeURIComponent(printerId)}`, { body, ...options });
  }

  postPrintersByPrinterIdTest(printerId, options = {}) {
    return this.transport.call("POST", `/printers/${encodeURIComponent(printerId)}/test`, { ...options });
  }

  getReportsAds(query, options = {}) {
    return this.transport.call("GET", `/reports/ads`, { query, ...options });
  }

  getReportsResponseTimes(query, options = {}) {
    return this.transport.call("GET", `/reports/response-times`, { query, ...options });
  }

  getSites(options = {}) {
    return this.transport.call("GET", `/sites`, { ...options });
  }

  postSites(body, options = {}) {
    return this.transport.call("POST", `/sites`, { body, ...options });
  }

  getSitesBySiteId(siteId, options = {}) {
    return this.transport.call("GET", `/sites/${encodeURIComponent(siteId)}`, { ...options });
  }

  patchSitesBySiteId(siteId, body, options = {}) {
    return this.transport.call("PATCH", `/sites/${encodeURIComponent(siteId)}`, { body, ...options });
  }

  postSitesBySiteIdPause(siteId, body, options = {}) {
    return this.transport.call("POST", `/sites/${encodeURIComponent(siteId)}/pause`, { body, ...options });
  }

  getSitesBySiteIdSoldOut(siteId, options = {}) {
    return this.transport.call("GET", `/sites/${encodeURIComponent(siteId)}/sold-out`, { ...options });
  }

  postSitesBySiteIdSoldOut(siteId, body, options = {}) {
    return this.transport.call("POST", `/sites/${encodeURIComponent(siteId)}/sold-out`, { body, ...options });
  }

  getSitesBySiteIdStock(siteId, options = {}) {
    return this.transport.call("GET", `/sites/${encodeURIComponent(siteId)}/stock`, { ...options });
  }

  postSitesBySiteIdStock(siteId, body, options = {}) {
    return this.transport.call("POST", `/sites/${encodeURIComponent(siteId)}/stock`, { body, ...options });
  }

  getSitesBySiteIdTimes(siteId, query, options = {}) {
    return this.transport.call("GET", `/sites/${encodeURIComponent(siteId)}/times`, { query, ...options });
  }

  getStations(query, options = {}) {
    return this.transport.call("GET", `/stations`, { query, ...options });
  }

  postStations(body, options = {}) {
    return this.transport.call("POST", `/stations`, { body, ...options });
  }

  getTables(query, options = {}) {
    return this.transport.call("GET", `/tables`, { query, ...options });
  }

  postTables(body, options = {}) {
    return this.transport.call("POST", `/tables`, { body, ...options });
  }

  deleteTablesByTableId(tableId, options = {}) {
    return this.transport.call("DELETE", `/tables/${encodeURIComponent(tableId)}`, { ...options });
  }

  postTablesByTableIdRotate(tableId, options = {}) {
    return this.transport.call("POST", `/tables/${encodeURIComponent(tableId)}/rotate`, { ...options });
  }

  getTabs(query, options = {}) {
    return this.transport.call("GET", `/tabs`, { query, ...options });
  }

  getTabsByTabId(tabId, options = {}) {
    return this.transport.call("GET", `/tabs/${encodeURIComponent(tabId)}`, { ...options });
  }

  postTabsByTabIdClose(tabId, options = {}) {
    return this.transport.call("POST", `/tabs/${encodeURIComponent(tabId)}/close`, { ...options });
  }

  postTabsByTabIdMove(tabId, body, options = {}) {
    return this.transport.call("POST", `/tabs/${encodeURIComponent(tabId)}/move`, { body, ...options });
  }

  postTabsByTabIdPayments(tabId, body, options = {}) {
    return this.transport.call("POST", `/tabs/${encodeURIComponent(tabId)}/payments`, { body, ...options });
  }

  getTemplates(query, options = {}) {
    return this.transport.call("GET", `/templates`, { query, ...options });
  }

  postTemplates(body, options = {}) {
    return this.transport.call("POST", `/templates`, { body, ...options });
  }

  postTemplatesCheck(body, options = {}) {
    return this.transport.call("POST", `/templates/check`, { body, ...options });
  }

  deleteTemplatesByTemplateId(templateId, options = {}) {
    return this.transport.call("DELETE", `/templates/${encodeURIComponent(templateId)}`, { ...options });
  }

  getTemplatesByTemplateId(templateId, options = {}) {
    return this.transport.call("GET", `/templates/${encodeURIComponent(templateId)}`, { ...options });
  }

  patchTemplatesByTemplateId(templateId, body, options = {}) {
    return this.transport.call("PATCH", `/templates/${encodeURIComponent(templateId)}`, { body, ...options });
  }

  postTemplatesByTemplateIdDuplicate(templateId, body, options = {}) {
    return this.transport.call("POST", `/templates/${encodeURIComponent(templateId)}/duplicate`, { body, ...options });
  }

  deleteTestClock(options = {}) {
    return this.transport.call("DELETE", `/test/clock`, { ...options });
  }

  getTestClock(options = {}) {
    return this.transport.call("GET", `/test/clock`, { ...options });
  }

  postTestClock(body, options = {}) {
    return this.transport.call("POST", `/test/clock`, { body, ...options });
  }

  postTestTriggers(body, options = {}) {
    return this.transport.call("POST", `/test/triggers`, { body, ...options });
  }

  getUsage(query, options = {}) {
    return this.transport.call("GET", `/usage`, { query, ...options });
  }

  getUsageCosts(query, options = {}) {
    return this.transport.call("GET", `/usage/costs`, { query, ...options });
  }

  getWebhooks(options = {}) {
    return this.transport.call("GET", `/webhooks`, { ...options });
  }

  postWebhooks(body, options = {}) {
    return this.transport.call("POST", `/webhooks`, { body, ...options });
  }

  getWebhooksDeliveries(query, options = {}) {
    return this.transport.call("GET", `/webhooks/deliveries`, { query, ...options });
  }

  getWebhooksDeliveriesByDeliveryId(deliveryId, options = {}) {
    return this.transport.call("GET", `/webhooks/deliveries/${encodeURIComponent(deliveryId)}`, { ...options });
  }

  postWebhooksDeliveriesByDeliveryIdRetry(deliveryId, options = {}) {
    return this.transport.call("POST", `/webhooks/deliveries/${encodeURIComponent(deliveryId)}/retry`, { ...options });
  }

  postWebhooksReplay(body, options = {}) {
    return this.transport.call("POST", `/webhooks/replay`, { body, ...options });
  }

  deleteWebhooksByEndpointId(endpointId, options = {}) {
    return this.transport.call("DELETE", `/webhooks/${encodeURIComponent(endpointId)}`, { ...options });
  }

  getWebhooksByEndpointId(endpointId, options = {}) {
    return this.transport.call("GET", `/webhooks/${encodeURIComponent(endpointId)}`, { ...options });
  }

  patchWebhooksByEndpointId(endpointId, body, options = {}) {
    return this.transport.call("PATCH", `/webhooks/${encodeURIComponent(endpointId)}`, { body, ...options });
  }

  postWebhooksByEndpointIdRotate(endpointId, body, options = {}) {
    return this.transport.call("POST", `/webhooks/${encodeURIComponent(endpointId)}/rotate`, { body, ...options });
  }

  postWebhooksByEndpointIdTest(endpointId, options = {}) {
    return this.transport.call("POST", `/webhooks/${encodeURIComponent(endpointId)}/test`, { ...options });
  }
}
