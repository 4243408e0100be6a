"use strict";

// Actions, in n8n's declarative form: each operation says which request it is.

const shown = (resource, ...operation) => ({ show: { resource: [resource], operation } });
const field = (displayName, name, display, more = {}) => ({
  displayName,
  name,
  type: "string",
  default: "",
  required: true,
  displayOptions: display,
  routing: { send: { type: "body", property: more.property ?? name } },
  ...(({ property, ...rest }) => rest)(more),
});
const inPath = (displayName, name, display) => ({
  displayName,
  name,
  type: "string",
  default: "",
  required: true,
  displayOptions: display,
});
const operation = (name, value, action, method, url, more = {}) => ({
  name,
  value,
  action,
  routing: { request: { method, url, ...more } },
});
const chooser = (resource, options) => ({
  displayName: "Operation",
  name: "operation",
  type: "options",
  noDataExpression: true,
  displayOptions: { show: { resource: [resource] } },
  options,
  default: options[0].value,
});
const list = { output: { postReceive: [{ type: "rootProperty", properties: { property: "data" } }] } };
const listOperation = (...given) => {
  const made = operation(...given);
  return { ...made, routing: { ...made.routing, ...list } };
};
// A workflow that runs again sends a message once.
const once = { headers: { "Idempotency-Key": "={{$execution.id}}-{{$node.name}}-{{$itemIndex}}" } };

class Comanda {
  description = {
    displayName: "Comanda",
    name: "comanda",
    icon: "fa:comment-dots",
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: "Send WhatsApp messages, manage contacts and orders",
    defaults: { name: "Comanda" },
    inputs: ["main"],
    outputs: ["main"],
    credentials: [{ name: "comandaApi", required: true }],
    requestDefaults: {
      baseURL: "={{$credentials.url}}/api/v1",
      headers: { Accept: "application/json", "Content-Type": "application/json" },
    },
    properties: [
      {
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: [
          { name: "Message", value: "message" },
          { name: "Contact", value: "contact" },
          { name: "Order", value: "order" },
        ],
        default: "message",
      },
      chooser("message", [
        operation("Send Text", "sendText", "Send a text", "POST", "/messages/send", once),
        operation("Send File", "sendFile", "Send a file", "POST", "/messages/send-media", once),
        operation("Send Template", "sendTemplate", "Send a template", "POST", "/messages/send-template", once),
        operation("Get", "get", "Get a message", "GET", '=/messages/{{encodeURIComponent($parameter["messageId"])}}'),
        listOperation("Get Many", "getAll", "Get many messages", "GET", "/messages"),
      ]),
      field("Phone", "phone", shown("message", "sendText", "sendFile", "sendTemplate"), {
        placeholder: "905321112233",
        description: "Digits only, with country code",
      }),
      field("Text", "message", shown("message", "sendText"), { typeOptions: { rows: 3 } }),
      field("File URL", "mediaUrl", shown("message", "sendFile"), { property: "media_url" }),
      field("Type", "mediaType", shown("message", "sendFile"), {
        property: "type",
        type: "options",
        options: ["image", "document", "video", "audio"].map((value) => ({ name: value, value })),
        default: "image",
      }),
      field("Caption", "caption", shown("message", "sendFile"), {
        required: false,
        routing: { send: { type: "body", property: "caption", value: "={{$value || undefined}}" } },
      }),
      field("Template", "templateName", shown("message", "sendTemplate"), { property: "name" }),
      field("Language", "language", shown("message", "sendTemplate"), { default: "en" }),
      field("Parameters", "parameters", shown("message", "sendTemplate"), {
        required: false,
        description: "Separated by commas, in the order of the placeholders",
        routing: {
          send: {
            type: "body",
            property: "parameters",
            value: '={{ $value ? $value.split(",").map((one) => one.trim()) : [] }}',
          },
        },
      }),
      field("Reference", "reference", shown("message", "sendText", "sendFile", "sendTemplate"), {
        required: false,
        description: "Your own reference, up to 64 characters",
        routing: { send: { type: "body", property: "reference", value: "={{$value || undefined}}" } },
      }),
      inPath("Message ID", "messageId", shown("message", "get")),
      chooser("contact", [
        operation("Create", "create", "Create a contact", "POST", "/contacts", once),
        operation("Get", "get", "Get a contact", "GET", '=/contacts/{{encodeURIComponent($parameter["contactId"])}}'),
        operation("Update", "update", "Update a contact", "PATCH", '=/contacts/{{encodeURIComponent($parameter["contactId"])}}'),
        listOperation("Get Many", "getAll", "Get many contacts", "GET", "/contacts"),
      ]),
      inPath("Contact ID", "contactId", shown("contact", "get", "update")),
      field("Phone", "contactPhone", shown("contact", "create"), { property: "phone" }),
      field("Name", "contactName", shown("contact", "create", "update"), { property: "name" }),
      field("Tags", "tags", shown("contact", "create", "update"), {
        required: false,
        description: "Separated by commas",
        routing: {
          send: {
            type: "body",
            property: "tags",
            value: '={{ $value ? $value.split(",").map((one) => one.trim()) : undefined }}',
          },
        },
      }),
      chooser("order", [
        operation("Get", "get", "Get an order", "GET", '=/orders/{{encodeURIComponent($parameter["orderId"])}}'),
        listOperation("Get Many", "getAll", "Get many orders", "GET", "/orders"),
        operation("Change Status", "changeStatus", "Change the status of an order", "POST", '=/orders/{{encodeURIComponent($parameter["orderId"])}}/status', once),
      ]),
      inPath("Order ID", "orderId", shown("order", "get", "changeStatus")),
      field("Status", "status", shown("order", "changeStatus"), { placeholder: "preparing" }),
    ],
  };
}

module.exports = { Comanda };
