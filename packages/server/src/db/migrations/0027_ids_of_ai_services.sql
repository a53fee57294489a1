-- The ids of AI services begin at 101: those below mean other providers in scripts from the hosted service. The sealed
-- keys stay as they are.
UPDATE "ai_connections" SET "service_id" = "service_id" + 100 WHERE "service_id" BETWEEN 1 AND 10;
