-- The bots so far open in both directions.
UPDATE "bots" SET "settings" = '{"direction": "both"}'::jsonb || "settings";
