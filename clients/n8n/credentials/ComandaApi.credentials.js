"use strict";

class ComandaApi {
  name = "comandaApi";
  displayName = "Comanda API";
  properties = [
    {
      displayName: "Address",
      name: "url",
      type: "string",
      default: "",
      placeholder: "https://comanda.example.com",
      required: true,
    },
    {
      displayName: "API Key",
      name: "key",
      type: "string",
      typeOptions: { password: true },
      default: "",
      placeholder: "ck_live_…",
      required: true,
    },
  ];
  authenticate = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.key}}" } },
  };
  test = { request: { baseURL: "={{$credentials.url}}/api/v1", url: "/me" } };
}

module.exports = { ComandaApi };
