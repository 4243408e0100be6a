"use strict";

// Starts a workflow with events. Activating the workflow registers an endpoint, deactivating removes it.

const { createHmac, timingSafeEqual } = require("node:crypto");

const TOLERANCE_SECONDS = 300;

function isSigned(secret, headers, body, now = Date.now() / 1000) {
  const id = headers["webhook-id"] ?? "";
  const at = headers["webhook-timestamp"] ?? "";
  if (!id || !(Math.abs(now - Number(at)) <= TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const good = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest();
  return String(headers["webhook-signature"] ?? "")
    .split(" ")
    .some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
      return given.length === good.length && timingSafeEqual(given, good);
    });
}

async function call(context, method, path, body) {
  const { url } = await context.getCredentials("comandaApi");
  return context.helpers.httpRequestWithAuthentication.call(context, "comandaApi", {
    method,
    url: `${url.replace(/\/+$/, "")}/api/v1${path}`,
    body,
    json: true,
  });
}

class ComandaTrigger {
  description = {
    displayName: "Comanda Trigger",
    name: "comandaTrigger",
    icon: "fa:comment-dots",
    group: ["trigger"],
    version: 1,
    description: "Starts when a customer writes, an order arrives or a message changes its state",
    defaults: { name: "Comanda Trigger" },
    inputs: [],
    outputs: ["main"],
    credentials: [{ name: "comandaApi", required: true }],
    webhooks: [
      { name: "default", httpMethod: "POST", responseMode: "onReceived", path: "comanda", rawBody: true },
    ],
    properties: [
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        required: true,
        default: ["messages.upsert"],
        options: [
          "*",
          "messages.upsert",
          "messages.updated",
          "messages.delivered",
          "messages.read",
          "messages.failed",
          "restaurant.order_created",
          "restaurant.order_updated",
          "restaurant.order_cancelled",
          "restaurant.delivery_updated",
          "restaurant.payment_succeeded",
          "restaurant.payment_failed",
          "instances.disconnected",
          "instances.restricted",
          "printing.job_failed",
          "contacts.opted_out",
          "campaigns.finished",
          "usage.threshold_reached",
        ].map((value) => ({ name: value === "*" ? "All Events" : value, value })),
      },
      {
        displayName: "Keep the Order of Each Conversation",
        name: "ordered",
        type: "boolean",
        default: false,
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists() {
        const data = this.getWorkflowStaticData("node");
        if (!data.endpointId) return false;
        const url = this.getNodeWebhookUrl("default");
        const found = await call(this, "GET", "/webhooks");
        return found.data.some((one) => one.id === data.endpointId && one.url === url && one.enabled);
      },
      async create() {
        const made = await call(this, "POST", "/webhooks", {
          url: this.getNodeWebhookUrl("default"),
          events: this.getNodeParameter("events"),
          ordered: this.getNodeParameter("ordered", false),
          description: "n8n",
        });
        const data = this.getWorkflowStaticData("node");
        data.endpointId = made.id;
        data.secret = made.secret;
        return true;
      },
      async delete() {
        const data = this.getWorkflowStaticData("node");
        if (data.endpointId) {
          try {
            await call(this, "DELETE", `/webhooks/${data.endpointId}`);
          } catch (error) {
            if (Number(error.httpCode ?? error.statusCode) !== 404) return false;
          }
        }
        delete data.endpointId;
        delete data.secret;
        return true;
      },
    },
  };

  async webhook() {
    const { secret } = this.getWorkflowStaticData("node");
    const request = this.getRequestObject();
    const body = request.rawBody ?? Buffer.from(JSON.stringify(this.getBodyData()));
    if (!secret || !isSigned(secret, this.getHeaderData(), body)) {
      this.getResponseObject().status(401).end();
      return { noWebhookResponse: true };
    }
    return { workflowData: [this.helpers.returnJsonArray(this.getBodyData())] };
  }
}

module.exports = { ComandaTrigger, isSigned };
