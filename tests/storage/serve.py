"""Starts moto's S3 on a port, makes a user and a bucket, and prints the user's key; from then on signatures are checked.

Run by the python of `make s3-server`: serve.py PORT BUCKET FOLDER, where all files of FOLDER become objects.
"""

import json
import sys
import urllib.request
from pathlib import Path

import boto3
from moto.server import ThreadedMotoServer

port, bucket, folder = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
server.start()
where = {"endpoint_url": f"http://127.0.0.1:{port}", "region_name": "us-east-1"}
anyone = {**where, "aws_access_key_id": "x", "aws_secret_access_key": "x"}
iam, s3 = boto3.client("iam", **anyone), boto3.client("s3", **anyone)
iam.create_user(UserName="reader")
key = iam.create_access_key(UserName="reader")["AccessKey"]
allowed = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
document = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
iam.put_user_policy(UserName="reader", PolicyName="reads", PolicyDocument=document)
s3.create_bucket(Bucket=bucket)
for path in sorted(folder.rglob("*")):
    if path.is_file():
        s3.put_object(Bucket=bucket, Key=str(path.relative_to(folder)), Body=path.read_bytes())
# Every request from now on must be signed by a user who may do it.
plain = {"Content-Type": "text/plain"}
urllib.request.urlopen(urllib.request.Request(f"{where['endpoint_url']}/moto-api/reset-auth", b"0", plain, method="POST"))
print(json.dumps({"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}), flush=True)
sys.stdin.read()
