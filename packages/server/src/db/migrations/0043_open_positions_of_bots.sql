-- The bots so far may have any number of positions.
UPDATE "bots" SET "settings" = '{"maxOpenPositions": null}'::jsonb || "settings";
