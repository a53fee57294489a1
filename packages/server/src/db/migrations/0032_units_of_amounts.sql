-- The amounts of all bots so far are in quote currency, and so are the sizes of signals.
UPDATE "bots" SET "settings" = '{"amountUnit": "quote", "sizeUnit": null}'::jsonb || "settings";
